"""Schedule, nights and the sensor that sees them through, over a real instance and a real warehouse."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import dagster as dg
import pytest

from stoic_assets.adapters.evaluation_conversations import Held
from stoic_assets.adapters.nights import HeldNight, Nights
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation import Manifest
from stoic_assets.core.nightly import HeldVersion, Round, RoundName, evaluation_id
from stoic_assets.core.settings import Nightly
from stoic_assets.core.stages import EVALUATION
from stoic_assets.defs.maintenance import compaction
from stoic_assets.defs.nightly import build_nightly, freshness_of, nights_of, with_freshness
from stoic_assets.defs.partitions import agent_versions
from stoic_assets.defs.releases import release_evaluation

BASE, CANDIDATE = "marcus@1.0.0", "marcus@1.1.0"
NIGHT = "2026-11-21"
SINCE = "2026-11-01"


def stand_in(name: str) -> dg.AssetsDefinition:
    @dg.asset(name=name, partitions_def=None if name in ("job_configs", "judge_drift", "compact") else agent_versions)
    def materialise() -> None: ...

    return materialise


DEFINITIONS_OF_NO_NIGHT = dg.Definitions(
    assets=[stand_in(name) for name in (*EVALUATION, "judge_drift", "compact")],
    jobs=[release_evaluation, compaction],
    resources={"workplace": "each test has its own"},
)
DEFINITIONS = dg.Definitions.merge(
    DEFINITIONS_OF_NO_NIGHT,
    build_nightly(Nightly(cron="0 2 * * *", time_zone="Europe/Berlin", since=SINCE)),
)


@pytest.fixture
def workplace(workplace: Workplace) -> Workplace:
    workplace.project.releases.mkdir()
    return workplace


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as opened:
        opened.add_dynamic_partitions("agent_version", [BASE, CANDIDATE])
        yield opened


@pytest.mark.parametrize(
    ("cron", "some", "count"),
    [("0 2 * * *", "2026-11-03", 10), ("30 23 * * 1-5", "2026-11-03", 7), ("0 */6 * * *", "2026-11-03", 10)],
)
def test_a_night_is_a_day_on_which_the_schedule_fires(cron: str, some: str, count: int) -> None:
    nights = nights_of(Nightly(cron=cron, time_zone="Europe/Berlin", since=SINCE))
    keys = nights.get_partition_keys(current_time=datetime(2026, 11, 10, 0, 30, tzinfo=UTC))
    assert some in keys
    assert len(keys) == count
    assert keys[-1] == "2026-11-10", "tonight is there before it begins"


@pytest.mark.parametrize(
    ("cron", "hours"), [("0 2 * * *", 36), ("0 2 * * 1-5", 84), ("0 2 * * 1", 180), ("0 */6 * * *", 36)]
)
def test_scores_are_overdue_half_a_day_after_the_longest_pause(cron: str, hours: int) -> None:
    freshness = freshness_of(Nightly(cron=cron))
    assert freshness.fail_window.to_timedelta() == timedelta(hours=hours)


def fire(workplace: Workplace, due: datetime) -> Any:
    context = dg.build_schedule_context(scheduled_execution_time=due, resources={"workplace": workplace})
    return DEFINITIONS.resolve_schedule_def("nightly")(context)


def test_the_schedule_asks_for_the_night_that_begins(workplace: Workplace) -> None:
    assert "no version" in fire(workplace, datetime.now(UTC)).skip_message
    (workplace.project.releases / "a.yml").write_text("agent: marcus\nversion: 1.0.0\nurl: http://localhost:1\n")
    due = datetime.now(UTC)
    night = f"{due.astimezone(ZoneInfo('Europe/Berlin')):%Y-%m-%d}"
    request = fire(workplace, due)
    assert (request.run_key, request.partition_key) == (night, night)
    assert "was missed" in fire(workplace, due - timedelta(days=2)).skip_message


def test_there_is_no_night_before_the_first(workplace: Workplace) -> None:
    later = Nightly(since=f"{datetime.now(UTC) + timedelta(days=3):%Y%m%d}")
    schedule = dg.Definitions.merge(DEFINITIONS_OF_NO_NIGHT, build_nightly(later)).resolve_schedule_def("nightly")
    context = dg.build_schedule_context(
        scheduled_execution_time=datetime.now(UTC), resources={"workplace": workplace}
    )
    assert "nights begin on" in schedule(context).skip_message  # type: ignore[union-attr]


def test_a_night_in_which_nobody_can_be_reached_fails_and_says_so(
    workplace: Workplace, instance: dg.DagsterInstance
) -> None:
    (workplace.project.releases / "a.yml").write_text("agent: marcus\nversion: 1.0.0\nurl: http://127.0.0.1:9\n")
    nights = build_nightly(Nightly(since=SINCE)).assets or []
    result = dg.materialize(
        list(nights), instance=instance, partition_key=NIGHT, resources={"workplace": workplace}, raise_on_error=False
    )
    [failure] = result.get_step_failure_events()
    line = failure.step_failure_data.user_failure_data.description
    assert line.startswith(f"{BASE}: ")
    [event] = told(workplace)
    assert (event["type"], event["subject"]) == ("stoic.run_failed", BASE)
    assert event["data"]["partition"] == NIGHT
    record = Nights(workplace.project.home).read(NIGHT).first
    assert record is not None
    assert list(record.faults) == [BASE]


def test_what_an_agent_said_and_no_webhook_took_stands_beside_the_night(
    workplace: Workplace, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A night in which one version conversed, and the other's agent answered with markup."""

    async def hold(*_: Any) -> HeldNight:
        record = Round(run_id="r", held_at=datetime.now(UTC).isoformat(), faults={CANDIDATE: "it said ![x](y)\n# Z"})
        manifest = Manifest.model_construct(evaluation_id="e1")
        return HeldNight(record, {BASE: Held(manifest, 1, [{"outcome": "signed_off"}], {})})

    monkeypatch.setattr("stoic_assets.defs.nightly.hold_night", hold)
    unheard = replace(workplace, env={**workplace.env, "STOIC_WEBHOOK_URL": "ftp://nobody"})
    nights = build_nightly(Nightly(since=SINCE)).assets or []
    result = dg.materialize(
        list(nights), instance=instance, partition_key=NIGHT, resources={"workplace": unheard}
    )
    [event] = result.get_asset_materialization_events()
    found = {name: value.value for name, value in event.materialization.metadata.items()}
    assert found["faults"] == rf"- {CANDIDATE}: it said \!\[x\](y) # Z"
    assert "STOIC_WEBHOOK_URL" in found["delivery_faults"]
    [event] = told(workplace)
    assert event["subject"] == CANDIDATE


def told(workplace: Workplace) -> list[dict[str, Any]]:
    """The events that wait for a webhook."""
    waiting = (workplace.project.home / "outbox" / "pending" / "events").glob("*.json")
    return [json.loads(path.read_text())["body"] for path in waiting]


class Watch:
    """The sensor, with a hand that does what it asks for."""

    def __init__(self, workplace: Workplace, instance: dg.DagsterInstance) -> None:
        self.workplace, self.instance = workplace, instance

    def tick(self) -> list[dg.RunRequest]:
        """What is asked for; each becomes a run that has begun."""
        resources = {"workplace": self.workplace}
        with dg.build_sensor_context(self.instance, definitions=DEFINITIONS, resources=resources) as context:
            self.found: Any = DEFINITIONS.resolve_sensor_def("night_watch")(context)
        for request in self.found.run_requests:
            job = DEFINITIONS.resolve_job_def(request.job_name)
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
def watch(workplace: Workplace, instance: dg.DagsterInstance) -> Watch:
    return Watch(workplace, instance)


def test_a_night_in_which_a_version_falls_twice_ends_in_one_alarm(watch: Watch) -> None:
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
    [event] = told(watch.workplace)
    assert (event["type"], event["subject"]) == ("stoic.regression_confirmed", CANDIDATE)
    assert watch.tick() == []
    assert watch.found.asset_events == []
    assert len(told(watch.workplace)) == 1


def test_a_night_waits_until_its_run_is_over(watch: Watch, instance: dg.DagsterInstance) -> None:
    job = DEFINITIONS.resolve_job_def("night")
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


def test_scores_alone_have_a_freshness() -> None:
    assets = with_freshness([stand_in(name) for name in EVALUATION], Nightly())
    watched = {spec.key.to_user_string() for each in assets for spec in each.specs if spec.freshness_policy}
    assert watched == {"evaluations", "composite_scores"}


def test_definitions_of_nights_load() -> None:
    repository = DEFINITIONS.get_repository_def()
    assert repository.get_schedule_def("nightly").default_status == dg.DefaultScheduleStatus.RUNNING
    assert repository.get_schedule_def("nightly").execution_timezone == "Europe/Berlin"
    assert repository.get_sensor_def("night_watch").default_status == dg.DefaultSensorStatus.RUNNING
