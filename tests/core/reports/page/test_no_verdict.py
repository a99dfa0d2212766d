"""What the page says where there is no verdict, and how to come to one."""

import re
from dataclasses import replace
from itertools import cycle

import pytest
from rendered_page import Make, Structure, render_report

pytestmark = pytest.mark.usefixtures("charts_drawn_once")


def test_too_many_invalid_trials_leave_no_verdict_on_the_version(make_data: Make) -> None:
    html = render_report(make_data(invalid_trials_threshold=0.01))
    assert "No verdict." in html
    assert "Regressed against" not in html


@pytest.mark.parametrize(
    ("outcomes", "way"), [(("judge_error",), "regrade"), (("judge_error", "infra_error"), "eval")]
)
def test_without_a_verdict_the_way_on_is_named(make_data: Make, outcomes: tuple[str, ...], way: str) -> None:
    data = make_data(trials=2, turns=2, compared=False)
    invalid = [
        {**row, "outcome": outcome, "valid": False}
        for row, outcome in zip(data.composite_scores, cycle(outcomes), strict=False)
    ]
    page = " ".join(render_report(replace(data, composite_scores=invalid)).split())
    banner = page[page.index("<strong>No verdict.</strong>") :].partition("</p>")[0]
    assert banner.count("<code>") == banner.count(f"<code>stoic {way} --agent-version marcus@1.1.0 --") == 1


@pytest.mark.parametrize(("status", "said"), [("regrading", True), ("finished", False)])
def test_scores_and_criteria_that_may_be_of_earlier_verdicts_say_so(make_data: Make, status: str, said: bool) -> None:
    data = make_data()
    html = render_report(replace(data, evaluation={**data.evaluation, "status": status}))
    again = "<code>stoic regrade --agent-version marcus@1.1.0 --evaluation eval-1.1.0</code> (same options)."
    assert ("and verdicts on other criteria than those shown beside them." in html) is said
    assert (f"Judging it again was cut short; continue with {again}" in html) is said
    assert ("Regressed against" in html) is not said, "there is no verdict before it is finished"


@pytest.mark.parametrize(
    ("status", "planned", "why"),
    [
        ("incomplete", 4, "2 of 4 trials were run before the cost ceiling was reached; continue with stoic eval"),
        ("incomplete", 2, "The cost ceiling was reached before all verdicts were given; continue with stoic eval"),
        ("regrading", 2, "Judging it again was cut short; continue with stoic regrade"),
    ],
)
@pytest.mark.parametrize("valid", [True, False])
def test_at_the_cost_ceiling_a_report_asks_for_a_higher_one_however_much_was_scored(
    make_data: Make, status: str, planned: int, why: str, valid: bool
) -> None:
    data = make_data(trials=2, turns=2)
    unpaid = {**data.task_scores[0], "score": None, "error": "too dear", "unpaid": True}
    ended = {"valid": valid, "outcome": "signed_off" if valid else "judge_error"}
    cut = replace(
        data, evaluation={**data.evaluation, "status": status}, evaluation_scores={"planned_trials": planned},
        task_scores=[unpaid], composite_scores=[row | ended for row in data.composite_scores],
    )
    text = Structure(render_report(cut)).text
    banner = text[text.index("No verdict.") :].partition("max-cost")[0]
    assert banner.startswith(f"No verdict. {why}")
    assert banner.endswith(" and a higher --")
    assert not re.search("Correct the causes|Regressed against|are invalid, more", text)


def test_a_judge_that_was_not_asked_is_not_said_to_have_failed(make_data: Make) -> None:
    data = make_data(trials=2, turns=2, compared=False)
    scores = [row | {"valid": False, "outcome": "judge_error"} for row in data.composite_scores]
    marks = [row | {"score": None, "error": "too dear", "unpaid": True} for row in data.task_scores]
    verdicts = [row | {"score": None, "error": "too dear", "unpaid": True} for row in data.virtue_scores]
    virtues = [row | {"score": None, "failed": 2, "exercised": None} for row in data.trial_virtues]
    dear = replace(data, composite_scores=scores, task_scores=marks, virtue_scores=verdicts, trial_virtues=virtues)
    page = " ".join(Structure(render_report(dear)).text.split())
    assert "2 × Not judged: cost ceiling invalid" in page
    assert "2 × Not judged: cost ceiling too dear" in page
    assert "an invalid trial is not scored: not judged: cost ceiling" in page
    assert "Judge error" not in page
    assert "the judge gave no usable verdict" not in page
    failed = replace(dear, task_scores=data.task_scores, virtue_scores=data.virtue_scores)
    assert "2 × Judge error invalid" in " ".join(Structure(render_report(failed)).text.split())
