"""The results of an evaluation as they are shown: trials, virtues, confidences, the cost."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from evaluation_heads import evaluation_head
from stored_evaluation import HELD, SCORED_TRIAL, START, TRIAL, VERDICT, Stored

from stoic_assets.adapters.ratings.calibration_store import PLACE
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.evaluation_end import finish
from stoic_assets.cli.outcome import Outcome
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.virtues import VIRTUES


def test_virtues_are_shown_as_they_are_stored(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where every confidence is 0, no trial outweighs another."""
    row = {"agent": "marcus", "virtue": "wisdom", "score": 0.62, "confidence": 0.0, "trials": 3, "not_exercised": 0}
    finish(stored((row,)), workplace, as_json=False, fail_under=None)
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["wisdom", "0.62", "–", "0.00", "3"] in shown
    assert [line[-4:] for line in shown].count(["–", "–", "–", "0"]) == len(VIRTUES) - 1


def test_a_virtues_mean_has_its_interval(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"agent": "marcus", "virtue": "wisdom", "score": 0.5, "confidence": 0.9, "trials": 2, "not_exercised": 0}
    both = ({"trial_id": "t"}, {"trial_id": "s", "job": "other"})
    mark = {"virtue": "wisdom", "confidence": 0.9, "verdicts": 1, "failed": 0, "exercised": True}
    marks = [mark | {"score": score} for score in (0.49, 0.51)]
    tables = {
        "composite_scores": [SCORED_TRIAL | each for each in both], "trials": [HELD | each for each in both],
        "trial_virtues": [mark | {"trial_id": each["trial_id"]} for mark, each in zip(marks, both, strict=True)],
    }  # fmt: skip
    finish(stored((row,), tables, planned_trials=2, scored_trials=2), workplace, as_json=False)
    assert "wisdom 0.50 0.37 to 0.63 0.90 2" in " ".join(capsys.readouterr().out.split())


def test_what_people_say_of_the_judge_and_which_bound_held_are_shown(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"agent": "marcus", "virtue": "wisdom", "score": 0.3, "confidence": 0.6, "confidence_above": 0.5}
    found = replace(stored((row | {"trials": 3, "not_exercised": 0},)), agreement="Scores that do not agree: wisdom.")
    finish(found, workplace, as_json=False, fail_under=None)
    shown = " ".join(capsys.readouterr().out.split())
    assert "that do not agree: wisdom. A virtue with a low score is weak if its confidence is above 0.50." in shown


@pytest.mark.parametrize(("sources", "told"), [((), 0), (("spread", "spread"), 1)])
def test_where_confidences_come_from_is_told_if_there_are_any(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], sources: tuple[str, ...], told: int
) -> None:
    score = {"trial_id": "t", "score": 0.5, "confidence": 0.9, "verdicts": 3, "failed": 0, "exercised": True}
    scored = zip(VIRTUES, sources, strict=False)
    rows = [score | {"virtue": virtue, "confidence_source": source} for virtue, source in scored]
    tables = {"composite_scores": [SCORED_TRIAL], "trials": [HELD], "trial_virtues": rows}
    finish(stored(tables=tables, planned_trials=1, scored_trials=1), workplace, as_json=False)
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count("The confidences") == told
    assert shown.count("come from the spread of the verdicts and are not calibrated on people's ratings.") == told


def test_the_agreement_shown_is_that_of_the_judges_who_scored(stored: Stored, workplace: Workplace) -> None:
    known = {"virtue": "wisdom", "judge_model": "gpt", "estimate": 0.1, "low": -0.1, "high": 0.2}
    highs = {"spearman": 0.2, "alpha_people": 0.9}
    rows = [known | {"measure": measure, "high": high, "items": 20, "raters": 3} for measure, high in highs.items()]
    workplace.warehouse.write("judge_calibration", *PLACE, rows)
    assert stored().agreement == ""
    judged = {"composite_scores": [SCORED_TRIAL], "trials": [HELD], "virtue_scores": [VERDICT]}
    assert stored(tables=judged).agreement == "Scores that do not agree with people's: wisdom."


def test_trials_and_assertions_are_shown_by_their_names(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    found = stored()
    asked = {"text": "RETURN\n  1", "weight": 1.0, "passed": False, "error": None}
    scores = dict.fromkeys(("timing", "task", "assertion", "failure_penalty", "overall"))
    unjudged = {"tasks": [], "virtues": {}, "virtue_overall": {"score": None}}
    plain = TRIAL | {"reason": None, "passed": None, "scores": scores, **unjudged}
    held = {**asked, "name": "3", "passed": True}
    free = {**asked, "name": "of no weight", "weight": 0.0}
    assertions = [{**asked, "name": "one reminder"}, {**asked, "name": "2", "error": "no row"}, held, free]
    trials = [plain | {"assertions": assertions}, plain | {"trial_id": "s", "assertions": []}]
    document = {**found.document, "trials": trials}
    names = {"t": "chat withheld 1", "s": "chat~grief withheld 1"}
    finish(replace(found, document=document, planned=2, names=names), workplace, False, None)
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown if "signed_off" in line] == ["chat", "chat~grief"]
    assert [line for line in shown if line.startswith("failed")] == [
        "failed  chat withheld 1: one reminder: RETURN 1  (it was false)",
        "failed  chat withheld 1: RETURN 1  (no row)",
    ]


def test_a_judge_that_was_not_asked_is_not_said_to_have_failed(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    found = stored()
    scores = dict.fromkeys(("timing", "task", "assertion", "failure_penalty", "overall"))
    plain = TRIAL | {"outcome": "judge_error", "passed": None, "scores": scores, "assertions": [], "tasks": []}
    plain |= {"virtues": {}, "virtue_overall": {"score": None}}
    trials = [plain | {"trial_id": name, "reason": why} for name, why in (("dear", "too dear"), ("odd", "no JSON"))]
    names = {"dear": "chat withheld 1", "odd": "chat withheld 2"}
    document = {**found.document, "trials": trials, "invalid_trials": 2}
    finish(
        replace(found, document=document, names=names, unpaid=[{"trial_id": "dear", "unpaid": True}]),
        workplace, as_json=False, fail_under=None,
    )  # fmt: skip
    shown = capsys.readouterr().out
    assert "not judged: cost ceiling  chat withheld 1: too dear" in shown
    assert "judge_error  chat withheld 2: no JSON" in shown
    assert "invalid trials: 2 of 2 (1 not judged: cost ceiling)" in " ".join(shown.split())


@pytest.mark.parametrize(("cost", "said"), [(0.0431, "$0.043"), (0.0, "$0.00"), (None, "unknown; a model has no")])
def test_what_it_cost_and_where_the_report_stands_are_said_last_and_in_the_document(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], cost: float | None, said: str
) -> None:
    found = stored(cost_usd=cost)
    path = str(workplace.report_file("marcus@1", "E").absolute())
    assert [found.document[key] for key in ("status", "cost_usd", "report")] == ["finished", cost, path]
    finish(found, workplace, as_json=False, fail_under=None)
    *_, costs, report = capsys.readouterr().out.splitlines()
    assert costs.startswith(f"cost: {said}")
    assert report == f"report: {path}"


def test_models_of_unknown_cost_are_named(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    call = {"call_id": "c", "role": "judge", "cached": False, "latency_ms": 1.0}
    known = [call | {"model": "m", "cost_usd": 0.1}, call | {"model": "f", "error": "HTTP 500"}]
    for models, said in (
        ("a", "a has no price in stoic.yml, or its server does"),
        ("bab", "a, b have no price in stoic.yml, or their server does"),
    ):
        calls = [*known, *(call | {"model": model} for model in models)]
        finish(stored(tables={"llm_calls": calls}), workplace, as_json=False, fail_under=None)
        assert f"cost: unknown; {said} not report tokens" in capsys.readouterr().out


@pytest.fixture
def terminal(screen: Callable[[int], None]) -> None:
    """One of 80 columns."""
    screen(80)


def table_of(outcome: Outcome, workplace: Workplace, penalty: float, ending: str, said: Any) -> list[str]:
    """The lines in which a trial of an ordinary name is shown, and their heading."""
    scores = dict.fromkeys(("timing", "task", "assertion", "overall"), 0.5) | {"failure_penalty": penalty}
    shown = {"scores": scores, "virtues": {}, "virtue_overall": {"score": 0.5}, "assertions": [], "tasks": []}
    trial = TRIAL | shown | {"outcome": ending, "reason": None, "passed": True}
    document = {**outcome.document, "trials": [trial]}
    names = {"t": "reminder_tomorrow withheld 1"}
    finish(replace(outcome, document=document, planned=1, names=names), workplace, False, None)
    lines = said.readouterr().out.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("trial"))
    return lines[first : next(number for number, line in enumerate(lines) if line.startswith("virtue "))]


@pytest.mark.parametrize(("penalty", "headings"), [(0.0, 7), (0.3, 8)])
def test_trials_fit_a_terminal_of_usual_width(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], terminal: None, penalty: float,
    headings: int,
) -> None:  # fmt: skip
    heading, first, *rest = table_of(stored(), workplace, penalty, "evaluator_error", capsys)
    assert max(map(len, (heading, first, *rest))) <= 80
    assert len(heading.split()) == headings
    assert first.split()[0] == "reminder_tomorrow"
    assert " ".join(rest).split() in (["error"], ["withheld", "1", "error"])


def test_a_file_has_every_column(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]
) -> None:
    heading, line = table_of(stored(), workplace, 0.0, "signed_off", capsys)
    assert heading.split() == [
        "trial", "outcome", "timing", "task", "assertion", "penalty", "overall", "virtues",
    ]  # fmt: skip
    assert line.split() == ["reminder_tomorrow", "withheld", "1", "signed_off", *["0.50"] * 3, "0.00", *["0.50"] * 2]


def test_virtues_have_one_name(stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str]) -> None:
    found = stored()
    weak = {**found.document, "weak_virtues": [{"virtue": "practical_wisdom", "score": 0.699}]}
    finish(replace(found, document=weak), workplace, as_json=False, fail_under=None)
    shown = capsys.readouterr().out
    assert "weak virtues: practical wisdom 0.699" in shown
    assert "practical_wisdom" not in shown


@pytest.mark.parametrize(("scored", "said"), [(0.7, "none"), (0.4, "none surely"), (None, "no virtue was scored")])
def test_what_nobody_scored_or_is_low_without_confidence_is_not_called_strong(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], scored: float | None, said: str
) -> None:
    wisdom = {"agent": "marcus", "virtue": "wisdom", "score": scored, "trials": 1, "not_exercised": 0}
    finish(stored(virtues=(wisdom,)), workplace, as_json=False, fail_under=None)
    assert f"weak virtues: {said} " in capsys.readouterr().out


@pytest.mark.parametrize(("passed", "said"), [(False, "   passed: 0 of 1"), (None, "")])
def test_trials_that_passed_are_counted_where_anything_could_be_passed(
    stored: Stored, workplace: Workplace, capsys: pytest.CaptureFixture[str], passed: bool | None, said: str
) -> None:
    tables = {"composite_scores": [SCORED_TRIAL | {"passed": passed}], "trials": [HELD]}
    finish(stored(tables=tables, planned_trials=1, scored_trials=1), workplace, as_json=False)
    assert f"no virtue was scored{said}   invalid trials: 0 of 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("parents", "told"),
    [
        (("marcus@0.9",), "marcus@0.9: it was never evaluated; did you mean marcus@0"),
        ((), "`stoic compare marcus@0 marcus@1` compares the two, job by job"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_what_was_not_compared_says_why_or_how(
    stored: Stored, workplace: Workplace, make_manifest: Callable[..., Manifest], as_json: bool,
    capsys: pytest.CaptureFixture[str], parents: tuple[str, ...], told: str,
) -> None:  # fmt: skip
    for version, parents_of in (("marcus@0", ()), ("marcus@1", parents)):
        hashes = {"chat": "asks:1"}
        begun = make_manifest(agent_version=version, evaluation_id="E", parents=parents_of, job_hashes=hashes)
        workplace.evidence.begin(begun)
    virtue = {"agent": "marcus", "virtue": "wisdom", "score": 0.5, "trials": 1, "not_exercised": 0}
    counts = {"planned_trials": 1, "scored_trials": 1, "invalid_trials": 0}
    before: dict[str, dict[str, Any]] = {
        "evaluations": evaluation_head(started_at=START), "evaluation_virtues": virtue,
        "evaluation_scores": {"agent": "marcus", "conclusive": True, **counts},
        "trials": HELD | {"job_hash": "asks:1"},
    }  # fmt: skip
    for table, row in before.items():
        workplace.warehouse.write(table, "marcus@0", "E", [row])
    finish(stored((virtue,)), workplace, as_json)
    printed = capsys.readouterr()
    shown = " ".join((printed.err if as_json else printed.out).split())
    assert f"not compared with another version: {told}" in shown


def test_what_supports_no_verdict_does_not_ask_for_a_comparison(
    stored: Stored, workplace: Workplace, make_manifest: Callable[..., Manifest]
) -> None:
    workplace.evidence.begin(make_manifest(agent_version="marcus@1", evaluation_id="E", parents=("marcus@0",)))
    assert stored().uncompared
    assert stored(conclusive=False).uncompared is None
