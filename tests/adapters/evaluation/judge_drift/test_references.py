"""What nights are held against: made, taken up, another's, renewed or damaged, and what a killed night paid."""

from collections.abc import Callable

import pytest
from watched_judge import NoisyJudge, references, watch

from stoic_assets.adapters.evaluation.judge_drift import drift_folder
from stoic_assets.adapters.models.ledger import Ledger
from stoic_assets.adapters.models.stand_in import StandIn
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calls.chat import ChatReply, ChatRequest
from stoic_assets.core.errors import ConfigurationError, InfrastructureError
from stoic_assets.core.releases import ALL_VERSIONS


def test_an_interrupted_making_is_taken_up_after_its_last_whole_round(workplace: Workplace) -> None:
    with pytest.raises(InfrastructureError, match=r"40 of 40 verdicts were not given.*the server is gone"):
        watch(workplace, NoisyJudge(0.7, fails=lambda number: number > 40))
    assert references(workplace)[0]["rounds"] == 1
    paid = workplace.warehouse.read("llm_calls", ALL_VERSIONS, "drift-20261122T020000")
    assert len(paid) == 80
    judge = NoisyJudge(0.7)
    assert watch(workplace, judge, 1).measurement.drifts[0].why == "the reference was made tonight"
    assert len(judge.requests) == 40
    assert [each["rounds"] for each in references(workplace)] == [2]


def test_an_interrupted_renewal_is_taken_up_although_it_is_asked_for_again(workplace: Workplace) -> None:
    watch(workplace, NoisyJudge(0.7))
    with pytest.raises(InfrastructureError, match="the server is gone"):
        watch(workplace, NoisyJudge(0.5, fails=lambda number: number > 40), 1, renew=True)
    judge = NoisyJudge(0.5)
    watch(workplace, judge, 2, renew=True)
    assert len(judge.requests) == 40
    assert [each["rounds"] for each in references(workplace)] == [2, 2]


def test_what_a_killed_night_paid_is_in_the_table_after_the_next_one(workplace: Workplace) -> None:
    killed = "drift-20261121T020000"
    ledger = Ledger(StandIn(), drift_folder(workplace) / "calls" / f"{killed}.jsonl", {})
    ledger.note(ChatRequest("judge", "gpt", (), 0.0), ChatReply("", cost_usd=0.75))
    for night in (0, 1):
        watch(workplace, NoisyJudge(0.6), night)
        [call] = workplace.warehouse.read("llm_calls", ALL_VERSIONS, killed)
        assert call["cost_usd"] == 0.75


def test_a_clock_that_was_ahead_once_keeps_back_no_renewal_and_no_call(workplace: Workplace) -> None:
    ahead = watch(workplace, NoisyJudge(0.7), 400)
    killed = "drift-20261123T010000"
    ledger = Ledger(StandIn(), drift_folder(workplace) / "calls" / f"{killed}.jsonl", {})
    ledger.note(ChatRequest("judge", "gpt", (), 0.0), ChatReply("", cost_usd=0.25))
    renewed = watch(workplace, NoisyJudge(0.5), 1, renew=True)
    assert len(workplace.warehouse.read("llm_calls", ALL_VERSIONS, killed)) == 1
    after = watch(workplace, NoisyJudge(0.5), 2)
    assert after.measurement.reference_id == renewed.measurement.reference_id != ahead.measurement.reference_id
    assert not after.measurement.alarms


def test_a_damaged_ledger_of_a_killed_night_ends_no_other_night(
    workplace: Workplace, caplog: pytest.LogCaptureFixture
) -> None:
    damaged = drift_folder(workplace) / "calls" / "drift-20261121T020000.jsonl"
    damaged.parent.mkdir(parents=True)
    damaged.write_text('{"call": no JSON}\n')
    watch(workplace, NoisyJudge(0.6), 0)
    assert f"calls of a night before left out: {damaged}" in caplog.text


def test_another_judge_and_a_renewal_get_references_of_their_own(
    workplace: Workplace, opened: Callable[..., Workplace]
) -> None:
    first = watch(workplace, NoisyJudge(0.7))
    panel = opened(STOIC_JUDGE_MODEL="a,b")
    judge = NoisyJudge(0.6)
    other = watch(panel, judge, 1)
    assert len(judge.requests) == 2 * 2 * 8 * 5
    renewed = watch(workplace, NoisyJudge(0.5), 2, renew=True)
    assert len({night.measurement.reference_id for night in (first, other, renewed)}) == 3
    after = watch(workplace, NoisyJudge(0.5), 3)
    assert after.measurement.reference_id == renewed.measurement.reference_id
    assert not after.measurement.alarms
    assert watch(panel, NoisyJudge(0.6), 4).measurement.reference_id == other.measurement.reference_id


def test_a_judge_is_another_at_another_address_but_not_with_a_slash_behind_it(
    workplace: Workplace, opened: Callable[..., Workplace]
) -> None:
    addresses = ("http://court/v1", "http://court/v1/", "http://elsewhere/v1")
    watches = [watch(opened(STOIC_JUDGE_BASE_URL=at), NoisyJudge(0.7), night) for night, at in enumerate(addresses)]
    first, same, other = [each.measurement.reference_id for each in watches]
    assert first == same != other


def test_a_damaged_reference_is_named(workplace: Workplace) -> None:
    watch(workplace, NoisyJudge(0.7))
    [file] = drift_folder(workplace).glob("*.json")
    file.write_text("{")
    with pytest.raises(ConfigurationError, match=r"\.json is damaged or cannot be read; remove it"):
        watch(workplace, NoisyJudge(0.7), 1)
    file.unlink()
    file.mkdir()
    with pytest.raises(ConfigurationError, match=r"\.json is damaged or cannot be read; remove it"):
        watch(workplace, NoisyJudge(0.7), 1)
