"""Nights that a sensor watches, and a hand that does what it asks for."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import dagster as dg
from code_server_runs import begun
from evaluation_heads import evaluation_head

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.nights.night_record import HeldVersion, Round, RoundName, night_evaluation_id

BASE, CANDIDATE = "marcus@1.0.0", "marcus@1.1.0"
NIGHT = "2026-11-21"
Told = Callable[[], list[dict[str, Any]]]


class Watch:
    """The sensor, with a hand that does what it asks for."""

    def __init__(self, workplace: Workplace, instance: dg.DagsterInstance, definitions: dg.Definitions) -> None:
        self.workplace, self.instance, self.definitions = workplace, instance, definitions

    def tick(self) -> list[dg.RunRequest]:
        """What is asked for; each becomes a run that has begun, and what was observed is stored."""
        self.lost_tick()
        for observation in self.found.asset_events:
            self.instance.report_runless_asset_event(observation)
        added = self.found.dynamic_partitions_requests or []
        for request in self.found.run_requests:
            job = self.definitions.resolve_job_def(request.job_name)
            if request.partition_key:
                request = request.with_resolved_tags_and_config(job, added, self.instance)
            run_tags = {**request.tags, "dagster/run_key": request.run_key}
            begun(self.instance, job, run_tags)
        return list(self.found.run_requests)

    def lost_tick(self) -> None:
        """A tick whose result reaches nobody."""
        resources = {"workplace": self.workplace}
        with dg.build_sensor_context(self.instance, definitions=self.definitions, resources=resources) as context:
            self.found: Any = self.definitions.resolve_sensor_def("night_watch")(context)

    def held(
        self, name: RoundName, *versions: str, run_id: str = "long gone", night: str = NIGHT, **faults: str
    ) -> None:
        """A round of a night was held, with `faults` by version."""
        bases = {BASE: None, CANDIDATE: BASE}
        held = {
            each: HeldVersion(evaluation_id=night_evaluation_id(night, each, name), base=bases[each])
            for each in versions
        }
        record = Round(run_id=run_id, held_at=datetime.now(UTC).isoformat(), evaluations=held, faults=faults)
        self.workplace.nights.record_round(night, name, record)

    def judged(
        self, name: RoundName, version: str, *fallen: str, night: str = NIGHT, status: str = "finished",
        scored: int | None = 6, invalid: int | None = 0, weaker: Sequence[str] = (),
    ) -> None:
        """The verdict on a version is stored, and its run is over."""
        wanted = night_evaluation_id(night, version, name)
        self.head(version, wanted, status, scored, invalid)
        verdicts = {"overall": "unchanged", **dict.fromkeys(fallen, "regressed")}
        compared = verdicts if version == CANDIDATE else {}  # the base has none itself
        rows = [
            {**self._row(version, measure, wanted, verdict), "weaker_assertions": list(weaker)}
            for measure, verdict in compared.items()
        ]
        self.workplace.warehouse.write("version_comparisons", version, wanted, rows)
        self.ended(wanted)

    def head(self, version: str, wanted: str, status: str, scored: int | None, invalid: int | None) -> None:
        counts = {"planned_trials": 6, "scored_trials": scored, "invalid_trials": invalid}
        row = evaluation_head(started_at=datetime.now(UTC), status=status, **counts)
        self.workplace.warehouse.write("evaluations", version, wanted, [row])

    def ended(self, wanted: str) -> None:
        """Its runs are over."""
        for run in self.instance.get_runs(dg.RunsFilter(tags={"stoic/evaluation_id": wanted})):
            if run.status == dg.DagsterRunStatus.STARTED:
                self.instance.report_run_failed(run, "it does not matter how it ends")

    def night_of(self, due: datetime) -> str:
        """The night of a time at which the schedule fires."""
        return f"{due.astimezone(ZoneInfo('Europe/Berlin')):%Y-%m-%d}"

    def asked(self) -> list[str | None]:
        """The versions and nights of the runs that a tick asks for."""
        return [each.partition_key for each in self.tick()]

    def _row(self, version: str, measure: str, wanted: str, verdict: str) -> dict[str, Any]:
        return {
            "base": BASE, "candidate": version, "measure": measure, "condition": "both", "gating": True, "jobs": 12,
            "difference": -0.2, "p": 0.001, "p_adjusted": 0.01, "delta": 0.05, "verdict": verdict,
            "base_evaluation_id": "b", "base_started_at": datetime.now(UTC), "offline": False, "notes": [],
        }
