"""Nights and their schedule, over a real instance."""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import dagster as dg
import pytest

from stoic_assets.adapters.evaluation.conversations import HeldEvaluation
from stoic_assets.adapters.evaluation.delivery import announce
from stoic_assets.adapters.evaluation.nights import HeldNight
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.settings import Nightly
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.nights.alerts import Failure, run_failed
from stoic_assets.core.nights.night_record import Round, night_evaluation_id
from stoic_assets.defs.due_nights import due_night
from stoic_assets.defs.nightly import build_nightly, freshness_of, nights_of, with_freshness

BASE, CANDIDATE = "marcus@1.0.0", "marcus@1.1.0"
NIGHT = "2026-11-21"
SINCE = "2026-11-01"
Told = Callable[[], list[dict[str, Any]]]
Materialised = Callable[..., tuple[dict[str, Any], list[str]]]
SOME = Manifest.model_construct(evaluation_id="e1")
LEFT_OUT = ("left out: b.yml:3: url",)


@pytest.fixture
def workplace(workplace: Workplace) -> Workplace:
    workplace.project.releases.mkdir()
    return workplace


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
    ("cron", "hours"),
    [
        ("0 2 * * *", 36), ("0 2 * * 1-5", 84), ("0 2 * * 1", 180), ("0 */6 * * *", 36), ("0 2 1 1 *", 8796),
        ("0 2 29 2 *", 35076),
    ],
)  # fmt: skip
def test_scores_are_overdue_half_a_day_after_the_longest_pause(cron: str, hours: int) -> None:
    freshness = freshness_of(Nightly(cron=cron))
    assert freshness.fail_window.to_timedelta() == timedelta(hours=hours)


@pytest.mark.parametrize(
    "cron",
    [
        "*/15 22-4 * * *", "05 02 01 01 07", "0 2 * * MON-FRI", "0 2 * * fri-Mon", "0 2 * * 0,6", "0 2 * * SUN/2",
        "0 2 * * MON#1,WED#3", "0 2 * * sat-sun#1", "0 2 * * L5", "0 2 ? * 1", "0 2 1 * ?", "0 2 L * *",
        "0 2 1,15,L * *", "0 2 25-L/2 * *", "0 2 10/5 * 1-5/2", "0 2 31 * *", "0 2 29 2 *", "0 2 30 4,JUN *",
        "0 2 1 JAN-MAR,11-2/2 *", "0 2 * */3 *", "0 2 31 4-6,9 *", "0 2 31 9/3 *", "0 2 30-1 2 *", "0 2 L 2,4 *",
        "0 2 31/2 2 *",
    ],
)  # fmt: skip
def test_schedules_that_are_taken_can_be_kept(cron: str) -> None:
    settings = Nightly(cron=cron)
    assert freshness_of(settings).fail_window.to_timedelta() >= timedelta(hours=36)
    [schedule] = build_nightly(settings).schedules or []
    assert schedule.cron_schedule == cron


@pytest.mark.parametrize(
    "cron",
    [
        "60 2 * * *", "0 24 * * *", "0 2 32 * *", "0 2 0 * *", "0 2 * 13 *", "0 2 * 0 *", "0 2 * * 8", "0 2 * * 1-8",
        "-1 2 * * *", "*/0 2 * * *", "*/x 2 * * *", "1- 2 * * *", "1, 2 * * *", ", 2 * * *", "1-2-3 2 * * *",
        "? 2 * * *", "H 2 * * *", "0 2 15W * *", "0 2 L-3 * *", "0 2 5/L * *", "0 2 MON * *",
        "0 2 * january *", "0 2 * * Sunday", "0 2 * * L", "0 2 * * 5L", "0 2 * * LFRI", "0 2 * * 1#6", "0 2 * * *#1",
        "0 2 * * 1-5#1", "0 2 * * 1,5#1", "0 2 * * 1,L5", "0 2 30 2 *", "0 2 31 FEB *", "0 2 30,31 2 *",
        "0 2 31 4,6 *", "0 2 31 4 MON", "0 2 L * MON#1", "0 2 30-31 2 *", "0 2 30/1 FEB *", "0 2 30-L 2 *",
        "0 2 31 4-6/2 *", "0 2 31 9/2 *", "0 2 30-31 2 MON",
    ],
)  # fmt: skip
def test_no_schedule_is_refused_that_could_be_kept(cron: str) -> None:
    with pytest.raises(ValueError, match="write"):
        Nightly(cron=cron)
    unchecked = Nightly.model_construct(cron=cron)
    with pytest.raises((dg.DagsterInvalidDefinitionError, ValueError)):
        (freshness_of(unchecked), build_nightly(unchecked))


@pytest.fixture
def fire(
    workplace: Workplace, instance: dg.DagsterInstance, definitions: dg.Definitions, monkeypatch: pytest.MonkeyPatch
) -> Callable[[datetime], Any]:
    """What the schedule answers when it is due at a time."""
    monkeypatch.setattr(dg.ScheduleEvaluationContext, "instance", instance)  # Dagster takes only one with files

    def answer(due: datetime) -> Any:
        context = dg.build_schedule_context(scheduled_execution_time=due, resources={"workplace": workplace})
        return definitions.resolve_schedule_def("nightly")(context)

    return answer


def release(workplace: Workplace) -> None:
    (workplace.project.releases / "a.yml").write_text("agent: marcus\nversion: 1.0.0\nurl: http://localhost:1\n")


def test_the_schedule_asks_for_the_night_that_begins(workplace: Workplace, fire: Callable[[datetime], Any]) -> None:
    assert "no version" in fire(datetime.now(UTC)).skip_message
    release(workplace)
    due = datetime.now(UTC)
    night = f"{due.astimezone(ZoneInfo('Europe/Berlin')):%Y-%m-%d}"
    request = fire(due)
    assert (request.run_key, request.partition_key) == (night, night)
    assert "was missed" in fire(due - timedelta(days=2)).skip_message


def test_a_schedule_that_fires_twice_a_day_starts_one_night(
    workplace: Workplace, instance: dg.DagsterInstance, definitions: dg.Definitions, fire: Callable[[datetime], Any]
) -> None:
    release(workplace)
    noon = datetime.now(ZoneInfo("Europe/Berlin")).replace(hour=12)
    request = fire(noon)
    job, evening = definitions.resolve_job_def("night"), noon.replace(hour=18)
    run = instance.create_run_for_job(job, tags={"dagster/run_key": request.run_key})
    assert fire(noon).run_key == request.run_key, "Dagster was stopped before it started the run"
    instance.report_run_failed(run, "it does not matter how it ends")
    assert fire(evening).skip_message == f"the nightly run of {noon:%Y-%m-%d} was started already"
    assert fire(noon + timedelta(days=1)).partition_key == f"{noon + timedelta(days=1):%Y-%m-%d}"


@pytest.mark.parametrize("faulty", [False, True])
def test_a_night_that_is_skipped_because_of_faulty_manifests_is_told_once(
    workplace: Workplace, fire: Callable[[datetime], Any], told: Told, faulty: bool
) -> None:
    path = workplace.project.releases / "a.yml"
    if faulty:
        path.write_text("agent: marcus\nversion: 1.0.0\nurk: http://localhost:1\n")
    due = datetime.now(UTC)
    midnight = due.astimezone(ZoneInfo("Europe/Berlin")).replace(hour=0, minute=0, second=0, microsecond=0)
    fire(max(midnight, due - timedelta(hours=1)))
    found = fire(due)
    fault = f"left out: {path}:3: urk: unknown key; did you mean 'url'?"
    assert found.skip_message.startswith(f"no version in releases/ is live{'; ' + fault if faulty else ''}")
    night = f"{due.astimezone(ZoneInfo('Europe/Berlin')):%Y-%m-%d}"
    events = [(event["id"], event["subject"], event["time"], event["data"]["error"]) for event in told()]
    time = midnight.astimezone(UTC).isoformat()
    assert events == ([(f"{night}.left_out", night, time, fault)] if faulty else [])


def test_there_is_no_night_before_the_first(workplace: Workplace, instance: dg.DagsterInstance) -> None:
    later = Nightly(since=f"{datetime.now(UTC) + timedelta(days=3):%Y%m%d}")
    found = due_night(instance, workplace, later, datetime.now(UTC))
    assert isinstance(found, dg.SkipReason)
    assert "nightly runs begin on" in str(found.skip_message)


def test_a_night_in_which_nobody_can_be_reached_fails_and_says_so(
    workplace: Workplace, instance: dg.DagsterInstance, told: Told
) -> None:
    (workplace.project.releases / "a.yml").write_text("agent: marcus\nversion: 1.0.0\nurl: http://127.0.0.1:9\n")
    nights = build_nightly(Nightly(since=SINCE)).assets or []
    result = dg.materialize(
        list(nights), instance=instance, partition_key=NIGHT, resources={"workplace": workplace}, raise_on_error=False
    )
    [failure] = result.get_step_failure_events()
    line = failure.step_failure_data.user_failure_data.description
    assert line.startswith(f"{BASE}: ")
    [event] = told()
    assert (event["type"], event["subject"]) == ("stoic.run_failed", BASE)
    assert (event["data"]["partition"], event["data"]["evaluation_id"]) == (NIGHT, None)
    record = workplace.nights.read(NIGHT).first
    assert record is not None
    assert list(record.faults) == [BASE]


@pytest.fixture
def materialised(workplace: Workplace, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch) -> Materialised:
    """The metadata of a night in which this was held, and its warnings."""

    def materialise(found: HeldNight, again: bool = False, **env: str) -> tuple[dict[str, Any], list[str]]:
        async def hold(*_: Any) -> HeldNight:
            return found

        monkeypatch.setattr("stoic_assets.defs.nightly.hold_night", hold)
        [nights] = build_nightly(Nightly(since=SINCE)).assets or []
        project = replace(workplace, env={**workplace.env, **env})
        result = dg.materialize(
            [nights], instance=instance, partition_key=NIGHT, resources={"workplace": project},
            run_config={"ops": {"nightly_conversations": {"config": {"again": again}}}},
        )  # fmt: skip
        [event] = result.get_asset_materialization_events()
        logged = instance.all_logs(result.run_id)
        metadata = {name: value.value for name, value in event.materialization.metadata.items()}
        return metadata, [entry.user_message for entry in logged if entry.level == logging.WARNING]

    return materialise


def in_base_alone(
    manifest: Manifest, faults: dict[str, str], unread: tuple[str, ...] = (), missed: dict[str, str] | None = None
) -> HeldNight:
    """A round in which the base alone conversed."""
    record = Round(run_id="r", held_at=datetime.now(UTC).isoformat(), faults=faults)
    return HeldNight(record, {BASE: HeldEvaluation(manifest, 2, [{"outcome": "signed_off"}], {})}, unread, missed or {})


def test_what_an_agent_said_and_no_webhook_took_stands_beside_the_night(materialised: Materialised, told: Told) -> None:
    """A night in which one version conversed, and the other's agent answered with markup."""
    held = in_base_alone(SOME, {CANDIDATE: "it said ![x](y)\n# Z"})
    found, _ = materialised(held, STOIC_WEBHOOK_URL="ftp://nobody")
    assert found["faults"] == rf"- `{CANDIDATE}`: it said \!\[x\](y) # Z"
    assert "STOIC_WEBHOOK_URL" in found["delivery_faults"]
    [event] = told()
    assert event["subject"] == CANDIDATE


def test_manifests_that_were_left_out_of_a_night_are_told(materialised: Materialised, told: Told) -> None:
    found, _ = materialised(in_base_alone(SOME, {}, LEFT_OUT))
    assert (found["faults"], found["left_out"], found["not_reached"]) == ("- left out: b.yml:3: url", 1, 0)
    [sent] = told()
    assert (sent["subject"], sent["data"]["agent_version"]) == (NIGHT, None)
    assert sent["data"]["error"] == "left out: b.yml:3: url"


def test_that_a_night_failed_is_told_beside_the_manifests_that_were_left_out_of_it(
    workplace: Workplace, materialised: Materialised, told: Told
) -> None:
    materialised(in_base_alone(SOME, {}, LEFT_OUT))
    announce(workplace, [run_failed(Failure("r", "night", NIGHT, "the judge is gone", datetime.now(UTC).isoformat()))])
    assert [sent["data"]["error"] for sent in told()] == ["left out: b.yml:3: url", "the judge is gone"]


def test_the_second_round_shows_what_the_first_one_missed_and_tells_it_to_nobody_again(
    materialised: Materialised, told: Told
) -> None:
    found, warned = materialised(in_base_alone(SOME, {}, LEFT_OUT, {CANDIDATE: "nothing answers"}), again=True)
    assert (found["left_out"], found["not_reached"]) == (1, 1)
    assert found["faults"] == f"- `{CANDIDATE}`: nothing answers\n- left out: b.yml:3: url"
    assert warned == [f"{CANDIDATE}: nothing answers", "left out: b.yml:3: url"]
    assert told() == []


@pytest.mark.parametrize("again", [False, True])
def test_what_is_said_of_a_version_that_was_cut_short_names_its_evaluation(
    workplace: Workplace, materialised: Materialised, told: Told, make_manifest: Callable[..., Manifest], again: bool
) -> None:
    begun = night_evaluation_id(NIGHT, BASE, "again" if again else "first")
    manifest = make_manifest(agent_version=BASE, evaluation_id=begun)
    workplace.evidence.begin(manifest)
    materialised(in_base_alone(manifest, {BASE: "the cost ceiling was reached"}), again)
    [event] = told()
    assert (event["subject"], event["data"]["evaluation_id"]) == (BASE, begun)


def test_scores_alone_have_a_freshness(definitions_of_no_night: dg.Definitions) -> None:
    stages = [each for each in definitions_of_no_night.assets or [] if isinstance(each, dg.AssetsDefinition)]
    assets = with_freshness(stages, Nightly())
    watched = {spec.key.to_user_string() for each in assets for spec in each.specs if spec.freshness_policy}
    assert watched == {"evaluations", "composite_scores"}


def test_nights_are_held_from_the_start(definitions: dg.Definitions) -> None:
    schedule = definitions.get_repository_def().get_schedule_def("nightly")
    assert schedule.default_status == dg.DefaultScheduleStatus.RUNNING
    assert schedule.execution_timezone == "Europe/Berlin"


def test_in_the_east_a_night_has_its_partition_before_greenwich_has_its_day() -> None:
    there = "Pacific/Auckland"
    nights = nights_of(Nightly(cron="0 2 * * *", time_zone=there, since="2026-11-01"))
    keys = nights.get_partition_keys(current_time=datetime(2026, 11, 22, 2, tzinfo=ZoneInfo(there)))
    assert keys[-1] == "2026-11-22"
