"""The sensor that sees nights through, over a real instance and a real warehouse."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
import pytest

from stoic_assets.adapters.nights import Nights
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.nightly import HeldVersion, Round, RoundName, evaluation_id

BASE, CANDIDATE = "marcus@1.0.0", "marcus@1.1.0"
NIGHT = "2026-11-21"
Told = Callable[[], list[dict[str, Any]]]


class Watch:
    """The sensor, with a hand that does what it asks for."""

    def __init__(self, workplace: Workplace, instance: dg.DagsterInstance, definitions: dg.Definitions) -> None:
        self.workplace, self.instance, self.definitions = workplace, instance, definitions

    def tick(self) -> list[dg.RunRequest]:
        """What is asked for; each becomes a run that has begun."""
        resources = {"workplace": self.workplace}
        with dg.build_sensor_context(self.instance, definitions=self.definitions, resources=resources) as context:
            self.found: Any = self.definitions.resolve_sensor_def("night_watch")(context)
        for request in self.found.run_requests:
            job = self.definitions.resolve_job_def(request.job_name)
            if request.partition_key:
                request = request.with_resolved_tags_and_config(job, [], self.instance)
            run_tags = {**request.tags, "dagster/run_key": request.run_key}
            self.instance.create_run_for_job(job, tags=run_tags, status=dg.DagsterRunStatus.STARTED)
        return list(self.found.run_requests)

    def held(self, name: RoundName, *versions: str, run_id: str = "long gone") -> None:
        bases = {BASE: None, CANDIDATE: BASE}
        held = {
            each: HeldVersion(evaluation_id=evaluation_id(NIGHT, each, name), base=bases[each]) for each in versions
        }
        record = Round(run_id=run_id, held_at=datetime.now(UTC).isoformat(), evaluations=held)
        Nights(self.workplace.project.home).record_round(NIGHT, name, record)

    def judged(self, name: RoundName, version: str, *fallen: str) -> None:
        """The verdict on a version is stored, and its run is over."""
        wanted = evaluation_id(NIGHT, version, name)
        rows = [self._row(version, measure, wanted) for measure in fallen]
        self.workplace.warehouse.write("version_comparisons", version, wanted, rows)
        for run in self.instance.get_runs(dg.RunsFilter(tags={"stoic/evaluation_id": wanted})):
            self.instance.report_run_failed(run, "it does not matter how it ends")

    def _row(self, version: str, measure: str, wanted: str) -> dict[str, Any]:
        return {
            "base": BASE, "candidate": version, "measure": measure, "condition": "both", "gating": True, "jobs": 12,
            "difference": -0.2, "p": 0.001, "p_adjusted": 0.01, "delta": 0.05, "verdict": "regressed",
            "base_evaluation_id": "b", "base_started_at": datetime.now(UTC), "offline": False, "notes": [],
        }


@pytest.fixture
def watch(workplace: Workplace, instance: dg.DagsterInstance, definitions: dg.Definitions) -> Watch:
    return Watch(workplace, instance, definitions)


def test_a_night_in_which_a_version_falls_twice_ends_in_one_alarm(watch: Watch, told: Told) -> None:
    assert watch.tick() == []
    watch.held("first", BASE, CANDIDATE)
    [base] = watch.tick()
    assert (base.partition_key, base.job_name) == (BASE, "release_evaluation")
    assert base.run_key == base.tags["stoic/evaluation_id"] == evaluation_id(NIGHT, BASE, "first")
    assert watch.tick() == []
    watch.judged("first", BASE)
    assert [each.partition_key for each in watch.tick()] == [CANDIDATE]
    watch.judged("first", CANDIDATE, "task", "wisdom")
    [again] = watch.tick()
    assert (again.partition_key, again.run_key, again.job_name) == (NIGHT, f"{NIGHT}-again", "night")
    config = again.run_config["ops"]["nightly_conversations"]["config"]
    assert config == {"again": True, "versions": [BASE, CANDIDATE]}
    assert watch.tick() == []
    watch.held("again", BASE, CANDIDATE)
    for version in (BASE, CANDIDATE):
        assert [each.partition_key for each in watch.tick()] == [version]
        watch.judged("again", version, *(["task"] if version == CANDIDATE else []))
    assert [each.job_name for each in watch.tick()] == ["compaction"]
    [observation] = watch.found.asset_events
    assert (observation.partition, observation.metadata["measures"].value) == (NIGHT, "task")
    assert observation.metadata["delivery_faults"].value == "none"
    [event] = told()
    assert (event["type"], event["subject"]) == ("stoic.regression_confirmed", CANDIDATE)
    assert watch.tick() == []
    assert watch.found.asset_events == []
    assert len(told()) == 1


def test_a_night_waits_until_its_run_is_over(watch: Watch, instance: dg.DagsterInstance) -> None:
    job = watch.definitions.resolve_job_def("night")
    run = instance.create_run_for_job(job, status=dg.DagsterRunStatus.STARTED)
    watch.held("first", BASE, run_id=run.run_id)
    assert watch.tick() == []
    instance.report_run_failed(run, "the judge could not be looked at")
    assert len(watch.tick()) == 1


def test_the_warehouse_is_compacted_once_after_a_night(watch: Watch) -> None:
    watch.held("first", BASE)
    assert [each.job_name for each in watch.tick()] == ["release_evaluation"]
    watch.judged("first", BASE)
    [request] = watch.tick()
    assert (request.job_name, request.run_key, request.partition_key) == ("compaction", f"{NIGHT}-compaction", None)
    assert watch.tick() == []


def test_a_damaged_night_holds_up_no_other_and_fails_the_tick_after(watch: Watch) -> None:
    watch.held("first", BASE)
    damaged = watch.workplace.project.home / "nights" / "2026-11-20.json"
    damaged.write_text("{")
    assert [each.job_name for each in watch.tick()] == ["release_evaluation"]
    with pytest.raises(ConfigurationError, match=r"2026-11-20\.json is damaged"):
        watch.tick()
    damaged.unlink()
    assert watch.tick() == []


def test_nobody_looks_after_nights_of_long_ago(watch: Watch) -> None:
    watch.held("first", BASE)
    path = watch.workplace.project.home / "nights" / f"{NIGHT}.json"
    night = json.loads(path.read_text())
    night["first"]["held_at"] = (datetime.now(UTC) - timedelta(days=4)).isoformat()
    path.write_text(json.dumps(night))
    assert watch.tick() == []


def test_it_watches_from_the_start(definitions: dg.Definitions) -> None:
    sensor = definitions.get_repository_def().get_sensor_def("night_watch")
    assert sensor.default_status == dg.DefaultSensorStatus.RUNNING
