"""The sensor that sees nights through, over a real instance and a real warehouse."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
import pytest

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.night_record import HeldVersion, Round, RoundName, night_evaluation_id
from stoic_assets.core.stages import VERDICTS

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
        scored: int | None = 6, invalid: int | None = 0,
    ) -> None:
        """The verdict on a version is stored, and its run is over."""
        wanted = night_evaluation_id(night, version, name)
        self.head(version, wanted, status, scored, invalid)
        rows = [self._row(version, measure, wanted) for measure in fallen]
        self.workplace.warehouse.write("version_comparisons", version, wanted, rows)
        self.ended(wanted)

    def head(self, version: str, wanted: str, status: str, scored: int | None, invalid: int | None) -> None:
        row = {
            "agent": "marcus", "started_at": datetime.now(UTC), "status": status, "offline": False,
            "planned_trials": 6, "scored_trials": scored, "invalid_trials": invalid,
        }
        self.workplace.warehouse.write("evaluations", version, wanted, [row])

    def ended(self, wanted: str) -> None:
        """Its runs are over."""
        for run in self.instance.get_runs(dg.RunsFilter(tags={"stoic/evaluation_id": wanted})):
            if run.status == dg.DagsterRunStatus.STARTED:
                self.instance.report_run_failed(run, "it does not matter how it ends")

    def asked(self) -> list[str | None]:
        """The versions and nights of the runs that a tick asks for."""
        return [each.partition_key for each in self.tick()]

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
    assert base.tags["stoic/evaluation_id"] == night_evaluation_id(NIGHT, BASE, "first")
    assert {key.to_user_string() for key in base.asset_selection or ()} == {*VERDICTS}, "the agent is not called"
    assert watch.tick() == []
    watch.judged("first", BASE)
    assert [each.partition_key for each in watch.tick()] == [CANDIDATE]
    watch.judged("first", CANDIDATE, "task", "wisdom")
    [again] = watch.tick()
    assert (again.partition_key, again.run_key, again.job_name) == (NIGHT, f"{NIGHT}-again:long gone", "night")
    config = again.run_config["ops"]["nightly_conversations"]["config"]
    assert config == {"again": True, "versions": [BASE, CANDIDATE]}
    assert watch.tick() == []
    watch.held("again", BASE, CANDIDATE)
    for version in (BASE, CANDIDATE):
        assert [each.partition_key for each in watch.tick()] == [version]
        watch.judged("again", version, *(["task"] if version == CANDIDATE else []))
    assert [each.job_name for each in watch.tick()] == ["compaction"]
    [observation] = watch.found.asset_events
    [row] = [record.data for record in observation.metadata["alarms"].records]
    assert (observation.partition, row["agent_version"], row["measures"]) == (NIGHT, CANDIDATE, "task")
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


def test_what_has_no_verdict_is_judged_again_when_its_night_is_materialised_again(watch: Watch) -> None:
    watch.held("first", BASE, CANDIDATE)
    assert watch.asked() == [BASE]
    watch.judged("first", BASE)
    assert watch.asked() == [CANDIDATE]
    watch.head(CANDIDATE, night_evaluation_id(NIGHT, CANDIDATE, "first"), "conversed", None, None)
    watch.ended(night_evaluation_id(NIGHT, CANDIDATE, "first"))
    assert [each.job_name for each in watch.tick()] == ["compaction"], "its run failed"

    watch.held("first", BASE, CANDIDATE, run_id="once more")
    assert watch.asked() == [CANDIDATE], "the base is judged already"
    assert watch.tick() == []
    watch.judged("first", CANDIDATE)
    assert watch.tick() == []


def test_a_second_round_without_verdict_follows_once_more_when_its_night_is_materialised_again(
    watch: Watch, told: Told
) -> None:
    for name in ("first", "again"):
        watch.held(name, BASE, CANDIDATE)
        for version in (BASE, CANDIDATE):
            assert watch.asked() == [version]
            broken = name == "again" and version == CANDIDATE
            watch.judged(name, version, *(["task"] if version == CANDIDATE else []), invalid=6 if broken else 0)
        assert [each.job_name for each in watch.tick()] == ["night" if name == "first" else "compaction"]
    [event] = told()
    assert event["type"] == "stoic.run_failed"

    watch.held("first", BASE, CANDIDATE, run_id="once more")
    [again] = watch.tick()
    assert again.run_config["ops"]["nightly_conversations"]["config"] == {"again": True, "versions": [BASE, CANDIDATE]}
    assert watch.tick() == [], "it was requested"
    watch.held("again", BASE, CANDIDATE, run_id="and more")
    assert watch.asked() == [CANDIDATE], "the base has its verdict"
    watch.judged("again", CANDIDATE, "task")
    watch.tick()
    assert [each["type"] for each in told()] == ["stoic.run_failed", "stoic.regression_confirmed"]
    watch.held("first", BASE, CANDIDATE, run_id="a third time")
    assert watch.tick() == [], "both rounds have their verdicts"


def test_where_a_base_is_judged_again_so_is_what_is_compared_with_it(watch: Watch) -> None:
    watch.held("first", BASE, CANDIDATE)
    for version in (BASE, CANDIDATE):
        assert watch.asked() == [version]
        watch.judged("first", version)
    watch.head(BASE, night_evaluation_id(NIGHT, BASE, "first"), "conversed", None, None)
    watch.held("first", BASE, CANDIDATE, run_id="once more")
    for version in (BASE, CANDIDATE):
        assert watch.asked() == [version]
        watch.judged("first", version)
    assert [each.job_name for each in watch.tick()] == ["compaction"]


def test_a_night_without_verdict_is_told_once_and_again_once_it_was_materialised_again(
    watch: Watch, told: Told
) -> None:
    watch.held("first", BASE, CANDIDATE)
    for version, invalid in ((BASE, 0), (CANDIDATE, 2)):
        watch.tick()
        watch.judged("first", version, scored=6 - invalid, invalid=invalid)
        assert told() == []
    watch.tick()
    [event] = told()
    assert (event["type"], event["subject"], event["data"]["partition"]) == ("stoic.run_failed", CANDIDATE, NIGHT)
    assert event["data"]["evaluation_id"] == night_evaluation_id(NIGHT, CANDIDATE, "first")
    assert event["data"]["error"].startswith("no verdict: 2 of 6 trials are invalid, more than the 10 % that")
    watch.workplace.outbox.withdraw("events", [event["id"]], event["subject"])
    watch.tick()
    assert told() == [], "it was told"

    watch.held("first", BASE, CANDIDATE, run_id="once more")
    assert watch.asked() == [CANDIDATE]
    watch.judged("first", CANDIDATE, scored=0, invalid=6)
    watch.tick()
    [event] = told()
    assert event["data"]["error"].startswith("no verdict: 6 of 6 trials")


def test_what_a_fault_or_a_failed_run_told_is_not_told_again(watch: Watch, told: Told) -> None:
    watch.held("first", BASE, CANDIDATE, **{CANDIDATE: "2 of 6 trials were run before the cost ceiling"})
    watch.tick()
    watch.head(BASE, night_evaluation_id(NIGHT, BASE, "first"), "conversed", None, None)
    watch.ended(night_evaluation_id(NIGHT, BASE, "first"))
    watch.tick()
    watch.judged("first", CANDIDATE, status="incomplete", scored=2)
    assert [each.job_name for each in watch.tick()] == ["compaction"]
    assert told() == []


def test_a_regression_that_stays_is_held_again_and_told_in_its_first_night_alone(watch: Watch, told: Told) -> None:
    def night(day: str, *fallen: str) -> list[str]:
        """What a night asks for beside verdicts."""
        found = []
        for name in ("first", "again"):
            watch.held(name, BASE, CANDIDATE, night=day, run_id=f"{day} {name}")  # type: ignore[arg-type]
            for version in (BASE, CANDIDATE):
                assert version in watch.asked()
                fell = fallen if version == CANDIDATE else ()
                watch.judged(name, version, *fell, night=day)  # type: ignore[arg-type]
            found += [each.job_name or "" for each in watch.tick()]
            if "night" not in found:
                break
        return found

    assert night("2026-11-17", "task", "wisdom") == ["night", "compaction"]
    assert len(told()) == 1
    assert night("2026-11-18", "task", "wisdom") == ["compaction"]
    assert night("2026-11-19", "wisdom") == ["compaction"]
    assert len(told()) == 1
    assert night("2026-11-20", "wisdom", "courage") == ["night", "compaction"], "that is new"
    assert [each["data"]["night"] for each in told()] == ["2026-11-17", "2026-11-20"]
    assert night("2026-11-21") == ["compaction"]
    assert night("2026-11-22", "wisdom") == ["night", "compaction"], "it had recovered"
    assert len(told()) == 3


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
