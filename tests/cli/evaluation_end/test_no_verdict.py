"""What is said of an evaluation without a verdict, and how it goes on."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from stored_evaluation import TRIAL, Stored, left_with

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.evaluation_end import NO_VERDICT


@pytest.mark.parametrize(
    ("status", "planned", "said"),
    [
        ("incomplete", 2, "0 of 2 trials were run before the cost ceiling was reached; continue with `stoic eval"),
        ("incomplete", 0, "all verdicts were given; continue with `stoic eval --agent-version marcus@1 --resume E`"),
        ("regrading", 0, "verdicts were given; continue with `stoic regrade --agent-version marcus@1 --evaluation E`"),
    ],
)
def test_at_the_cost_ceiling_the_command_that_goes_on_is_named(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], status: str, planned: int, said: str
) -> None:
    outcome = replace(stored(), status=status, planned=planned)
    assert left_with(outcome, workplace, 0.5) == NO_VERDICT
    told = capsys.readouterr().err
    assert said in told
    assert told.endswith("and a higher --max-cost\n")


def test_a_refusal_quotes_an_agent_as_it_stands(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    found = stored()
    trial = TRIAL | {"outcome": "infra_error", "reason": "503 [/INST] :boom: \x1b[2J"}
    failed = {**found.document, "trials": [trial], "invalid_trials": 1}
    outcome = replace(found, document=failed, planned=1, conclusive=False, names={"t": "chat withheld 1"})
    assert left_with(outcome, workplace, None) == NO_VERDICT
    assert "chat withheld 1: 503 [/INST] :boom: [U+001B][2J; once the cause is corrected" in capsys.readouterr().err


def test_trials_that_stay_invalid_are_not_promised_to_be_played_again(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    found = stored()
    ended = {"t": "evaluator_error", "u": "evaluator_error", "v": "judge_error"}
    trials = [TRIAL | {"trial_id": each, "outcome": end, "reason": None} for each, end in ended.items()]
    failed = {**found.document, "trials": trials, "invalid_trials": 3}
    outcome = replace(
        found, document=failed, planned=3, conclusive=False, names=dict.fromkeys(ended, "chat withheld 1"),
        not_again=frozenset({"t", "v"}),
    )
    assert left_with(outcome, workplace, None) == NO_VERDICT
    told = capsys.readouterr().err
    assert "runs them again, except 1 whose user has told the agent the withheld facts" in told


def test_trials_that_lack_verdicts_alone_are_judged_again(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    found = stored()
    trials = [TRIAL | {"outcome": "judge_error", "reason": "not JSON"}] * 2
    failed = {**found.document, "trials": trials, "invalid_trials": 2}
    outcome = replace(found, document=failed, planned=2, conclusive=False, names={"t": "chat withheld 1"})
    assert left_with(outcome, workplace, None) == NO_VERDICT
    again = (
        "`stoic regrade --agent-version marcus@1 --evaluation E` judges them again; you may choose other judges first"
    )
    assert capsys.readouterr().err.endswith(f": not JSON; once the cause is corrected, {again}\n")


def test_what_is_not_played_again_is_known_from_the_jobs(
    stored: Stored, workplace: Workplace, make_manifest: Callable[..., Any]
) -> None:
    job = {
        "name": "chat", "target": {"user": "ada", "chatbot": "marcus"}, "aspirationalAverage": 3000,
        "greetings": ["Hi"], "tasks": [{"task": "Ask", "acceptanceCriteria": "It answers"}], "facts": ["It rains"],
    }
    workplace.evidence.begin(make_manifest(evaluation_id="E", agent_version="marcus@1", jobs=(job,)))
    assert stored().not_again == {"E.chat.withheld.1"}
