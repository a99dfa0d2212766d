"""Nights over stored transcripts: a reference is made, and a judge that moved is told of."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from watched_judge import NIGHT, NoisyJudge, references, watch

from stoic_assets.adapters.evaluation.delivery import announce
from stoic_assets.adapters.evaluation.judge_drift import judge_moved, watch_judge
from stoic_assets.adapters.models.stand_in import StandIn
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calls.chat import ChatReply, ChatRequest
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.releases import ALL_VERSIONS
from stoic_assets.core.virtues import VIRTUES


def test_the_first_night_makes_the_reference_and_the_next_ones_are_held_against_it(workplace: Workplace) -> None:
    judge = NoisyJudge(0.7)
    first = watch(workplace, judge)
    assert {drift.why for drift in first.measurement.drifts} == {"the reference was made tonight"}
    assert len(judge.requests) == 2 * 8 * 5
    assert first.cost_usd == pytest.approx(8.0)
    [kept] = references(workplace)
    assert {each["trial_id"] for each in kept["members"]} == {f"first.{n}" for n in range(5)} | {
        f"second.{n}" for n in range(3)
    }
    assert kept["members"][0]["virtues"]["justice"]["judgings"] == 2

    second = watch(workplace, judge, 1)
    assert len(judge.requests) == 3 * 8 * 5
    assert not (workplace.project.home / "cache").exists()
    assert (second.event, second.answered_by) == (None, ["gpt-4.1-mini-2026"])
    rows = workplace.warehouse.read("judge_drift", ALL_VERSIONS, "drift-20261123T020000")
    assert [row["virtue"] for row in rows] == list(VIRTUES)
    for row in rows:
        assert (row["reference_id"], row["judge_models"]) == (kept["reference_id"], ["gpt-4.1-mini"])
        assert (row["transcripts"], row["alarm"], row["why"]) == (8, False, None)
        assert row["low"] < row["shift"] < row["high"]
        assert abs(row["shift"]) < 0.02 < row["detectable"]
        assert row["evaluated_at"] == NIGHT + timedelta(days=1)
    assert len(workplace.warehouse.query("select * from judge_drift")) == 10
    assert len(workplace.warehouse.read("llm_calls", ALL_VERSIONS, second.evaluation_id)) == 40


def test_a_judge_that_moved_raises_the_alarm_announces_it_and_excuses_the_agent(workplace: Workplace) -> None:
    for night, level in enumerate((0.7, 0.7, 0.5)):
        found = watch(workplace, NoisyJudge(level), night)
    assert all(drift.alarm and drift.shift == pytest.approx(-0.2, abs=0.02) for drift in found.measurement.drifts)
    assert found.event is not None
    assert announce(workplace, [found.event]).pending == 1
    panel = {"gpt-4.1-mini"}
    said = judge_moved(workplace, NIGHT + timedelta(days=1, hours=1), NIGHT + timedelta(days=2, hours=1), panel)
    assert said is not None
    assert said.startswith("the judge itself changed between the two evaluations: wisdom −0.")
    assert said.endswith("(judge_drift of 2026-11-24)")
    assert judge_moved(workplace, NIGHT, NIGHT + timedelta(days=1, hours=1), panel) is None
    moments = NIGHT + timedelta(days=1), NIGHT + timedelta(days=2)
    assert judge_moved(workplace, *moments, panel) is not None
    assert judge_moved(workplace, *moments, {"offline"}) is None
    assert judge_moved(workplace, *moments, {*panel, "offline"}) is None, "that is another panel"


def test_a_few_verdicts_that_fail_are_left_out(workplace: Workplace) -> None:
    watch(workplace, NoisyJudge(0.7))
    found = watch(workplace, NoisyJudge(0.7, fails=lambda number: number <= 4), 1)  # a tenth
    assert sorted(drift.transcripts for drift in found.measurement.drifts) == [7, 7, 7, 7, 8]


def test_offline_the_judge_never_moves(workplace: Workplace, opened: Callable[..., Workplace]) -> None:
    offline = opened(STOIC_LLM="offline")
    watch(offline, StandIn())
    found = watch(offline, StandIn(), 1)
    assert found.measurement.judge_models == ("offline",)
    exercised = [drift for drift in found.measurement.drifts if drift.transcripts]
    assert (bool(exercised), found.answered_by) == (True, [])
    assert {(drift.shift, drift.p, drift.alarm) for drift in exercised} == {(0.0, 1.0, False)}
    assert found.cost_usd == 0


def test_one_watch_at_a_time(workplace: Workplace) -> None:
    class SecondWatch(NoisyJudge):
        async def complete(self, request: ChatRequest) -> ChatReply:
            await watch_judge(workplace, NoisyJudge(0.7), NIGHT)
            raise AssertionError

    with pytest.raises(ConfigurationError, match="watched by another process"):
        watch(workplace, SecondWatch(0.7))
