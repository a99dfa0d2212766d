"""What the sensor that sees nights through tells those who listen."""

import dagster as dg
import pytest
from watched_nights import BASE, CANDIDATE, NIGHT, Told, Watch

from stoic_assets.adapters.messages.outbox import Outbox
from stoic_assets.core.nights.alerts import REGRESSION_CONFIRMED
from stoic_assets.core.nights.night_record import Alarm, RoundName, night_evaluation_id
from stoic_assets.core.stages import VERDICTS
from stoic_assets.defs.night_alarms import raise_alarms

ROUNDS: tuple[RoundName, ...] = ("first", "again")


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
    assert (again.partition_key, again.job_name) == (NIGHT, "night")
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
    [event] = told()
    assert (event["type"], event["subject"]) == ("stoic.regression_confirmed", CANDIDATE)
    assert watch.tick() == []
    assert watch.found.asset_events == []
    assert len(told()) == 1


def test_an_assertion_that_is_weaker_in_both_rounds_is_told_and_shown(watch: Watch, told: Told) -> None:
    for asked, name in zip(("night", "compaction"), ROUNDS, strict=True):
        watch.held(name, BASE, CANDIDATE)
        for version in (BASE, CANDIDATE):
            watch.tick()
            watch.judged(name, version, weaker=["it is stored"] if version == CANDIDATE else ())
        assert [each.job_name for each in watch.tick()] == [asked]
    [observation] = watch.found.asset_events
    [row] = [record.data for record in observation.metadata["alarms"].records]
    assert (row["measures"], row["assertions"]) == ("", "it is stored")
    [event] = told()
    assert (event["data"]["measures"], event["data"]["assertions"]) == ([], ["it is stored"])


def test_a_night_without_verdict_is_told_once_and_again_once_it_was_materialised_again(
    watch: Watch, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Outbox, "deliver", None)  # which may take ten seconds of a tick that asks for compaction
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


def test_a_night_whose_second_round_failed_is_over_and_tells_who_has_no_verdict(
    watch: Watch, told: Told, instance: dg.DagsterInstance
) -> None:
    watch.held("first", BASE, CANDIDATE)
    assert watch.asked() == [BASE]
    watch.judged("first", BASE, invalid=6)
    assert watch.asked() == [CANDIDATE]
    watch.judged("first", CANDIDATE, "task")
    [again] = watch.tick()
    assert (watch.tick(), told()) == ([], [])
    [run] = instance.get_runs(dg.RunsFilter(job_name=again.job_name))
    instance.report_run_failed(run, "marcus@1.1.0 is not live any more")
    assert [each.job_name for each in watch.tick()] == ["compaction"]
    assert [each["subject"] for each in told()] == [BASE]


def test_what_a_fault_or_a_failed_run_told_is_not_told_again(watch: Watch, told: Told) -> None:
    watch.held("first", BASE, CANDIDATE, **{CANDIDATE: "2 of 6 trials were run before the cost ceiling"})
    watch.tick()
    watch.head(BASE, night_evaluation_id(NIGHT, BASE, "first"), "conversed", None, None)
    watch.ended(night_evaluation_id(NIGHT, BASE, "first"))
    watch.tick()
    watch.judged("first", CANDIDATE, status="incomplete", scored=2)
    assert [each.job_name for each in watch.tick()] == ["compaction"]
    assert told() == []


def through(watch: Watch, day: str, *fallen: str) -> list[str]:
    """What a night asks for beside verdicts."""
    found: list[str] = []
    for name in ROUNDS:
        watch.held(name, BASE, CANDIDATE, night=day, run_id=f"{day} {name}")
        for version in (BASE, CANDIDATE):
            assert version in watch.asked()
            watch.judged(name, version, *(fallen if version == CANDIDATE else ()), night=day)
        found += [each.job_name or "" for each in watch.tick()]
        if "night" not in found:
            break
    return found


def test_a_regression_that_stays_is_held_again_and_told_in_its_first_night_alone(watch: Watch, told: Told) -> None:
    assert through(watch, "2026-11-17", "task", "wisdom") == ["night", "compaction"]
    assert len(told()) == 1
    assert through(watch, "2026-11-18", "task", "wisdom") == ["compaction"]
    assert through(watch, "2026-11-19", "wisdom") == ["compaction"]
    assert len(told()) == 1
    assert through(watch, "2026-11-20", "wisdom", "courage") == ["night", "compaction"], "that is new"
    assert [each["data"]["night"] for each in told()] == ["2026-11-17", "2026-11-20"]
    assert through(watch, "2026-11-21") == ["compaction"]
    assert through(watch, "2026-11-22", "wisdom") == ["night", "compaction"], "it had recovered"
    assert len(told()) == 3


def test_a_missed_night_that_is_made_up_for_tells_no_regression_of_a_later_one_again(watch: Watch, told: Told) -> None:
    assert through(watch, "2026-11-20", "task") == ["night", "compaction"]
    assert through(watch, "2026-11-18", "task") == ["compaction"]
    watch.held("first", BASE, CANDIDATE, night="2026-11-20", run_id="once more")
    assert "night" not in [each.job_name for each in watch.tick()], "though the other was held before it now"
    assert through(watch, "2026-11-19", "task") == ["compaction"]
    assert [each["data"]["night"] for each in told()] == ["2026-11-20"]


def test_a_night_without_a_verdict_on_a_version_does_not_make_its_regression_news(watch: Watch, told: Told) -> None:
    through(watch, "2026-11-17", "task")
    watch.held("first", night="2026-11-18", **dict.fromkeys((BASE, CANDIDATE), "cannot be reached"))
    watch.held("first", BASE, CANDIDATE, night="2026-11-19")
    for version, invalid in ((BASE, 0), (CANDIDATE, 6)):
        watch.tick()
        watch.judged("first", version, night="2026-11-19", scored=6 - invalid, invalid=invalid)
    watch.tick()
    assert through(watch, "2026-11-20", "task") == ["compaction"]
    assert [each["data"]["night"] for each in told() if each["type"] == REGRESSION_CONFIRMED] == ["2026-11-17"]


def test_an_alarm_whose_tick_was_lost_is_still_shown_on_the_page_of_its_night(watch: Watch, told: Told) -> None:
    for name in ROUNDS:
        watch.held(name, BASE, CANDIDATE)
        for version in (BASE, CANDIDATE):
            watch.tick()
            watch.judged(name, version, *(["task"] if version == CANDIDATE else []))
        if name == "first":
            watch.tick()
    watch.lost_tick()
    watch.tick()
    [observation] = watch.found.asset_events
    assert observation.metadata["alarm"].value == CANDIDATE
    watch.tick()
    assert (watch.found.asset_events, len(told())) == ([], 1)
    through(watch, "2026-11-22", "task")
    assert watch.found.asset_events == [], "it is known, and shown where it was raised"


def test_a_tick_that_raises_alarms_delivers_none_of_them(
    watch: Watch, told: Told, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The webhook may be slow, and Dagster stops a tick after a minute."""
    monkeypatch.setattr(Outbox, "deliver", None)
    raised = (BASE, CANDIDATE)
    alarms = [Alarm(agent_version=each, base="marcus@0.9.0", measures=(), evaluation_ids=()) for each in raised]
    with dg.build_sensor_context(instance) as context:
        [observation] = raise_alarms(context, watch.workplace, watch.workplace.nights.read(NIGHT), alarms)
    assert observation.metadata["alarm"].value == f"{BASE}, {CANDIDATE}"
    assert [each["subject"] for each in told()] == [BASE, CANDIDATE]
