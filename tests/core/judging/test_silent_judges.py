"""Who of a panel gave no verdict, on how much, and why."""

from typing import Any

import pytest

from stoic_assets.core.judging.judge import mean_mark
from stoic_assets.core.judging.silent_judges import Answer, answers, in_words, silent_judges
from stoic_assets.core.judging.verdict import Mark

TRIALS = [{"trial_id": "t", "job": "chat"}]
DONE = Mark(reason="it did", score=0.8)


def verdict(judge: str, error: str | None = None, unpaid: bool = False) -> dict[str, Any]:
    return {"trial_id": "t", "judge_model": judge, "error": error, "unpaid": unpaid}


def mark(given: dict[str, Mark], missing: dict[str, str], unpaid: bool = False) -> dict[str, Any]:
    return {"trial_id": "t", **vars(mean_mark(given, missing, unpaid))}


def test_what_became_of_each_question() -> None:
    of_panel = mark({"j": DONE}, {"k": "cut off (length)", "l": "402"})
    found = answers(TRIALS, [verdict("j"), verdict("k", "402"), verdict("l")], [of_panel])
    assert found == [
        Answer("chat", "virtues", "j", given=True),
        Answer("chat", "virtues", "k", given=False, error="402"),
        Answer("chat", "virtues", "l", given=True),
        Answer("chat", "tasks", "j", given=True),
        Answer("chat", "tasks", "k", given=False, error="cut off (length)"),
        Answer("chat", "tasks", "l", given=False, error="402"),
    ]


@pytest.mark.parametrize("given", [{}, {"c": DONE}])
def test_each_judge_of_a_panel_has_a_reason_of_its_own(given: dict[str, Mark]) -> None:
    silent = {"my-a": "timeout (60 s)", "a": "server at x: 500\nb: no verdict (invented by a)", "b": "402"}
    found = answers(TRIALS, [verdict(judge) for judge in silent], [mark(given, silent)])
    assert {answer.judge: answer.error for answer in found if answer.about == "tasks"} == silent
    assert not any(answer.given for answer in found if answer.about == "tasks")


def test_what_the_cost_ceiling_kept_back_is_nobodys_silence() -> None:
    assert answers(TRIALS, [verdict("j", "late", unpaid=True)], [mark({}, {"j": "late"}, unpaid=True)]) == []


def test_where_an_earlier_release_judged_nobody_knows_who_of_a_panel_fell_silent() -> None:
    """Its rows do not say; without a mark all of them did."""
    old = {"trial_id": "t", "missing": None, "unpaid": None}
    found = answers(TRIALS, [verdict("j"), verdict("k")], [old | {"error": None}, old | {"error": "j, k: 402"}])
    assert [answer.given for answer in found if answer.about == "tasks"] == [True, True, False, False]


@pytest.mark.parametrize(
    ("verdicts", "marks", "said"),
    [
        (["a", "b"], ["c"], "judge k gave no verdict at all: a"),
        ([None, "b"], [None], "judge k gave no verdict on 1 of 2 questions about virtues: b"),
        (
            [None, "b"], ["c", "d", None],
            "judge k gave no verdict on 1 of 2 questions about virtues and 2 of 3 questions about tasks: b",
        ),
        ([None], ["c"], "judge k gave no verdict on 1 of 1 question about tasks: c"),
    ],
)
def test_a_silent_judge_is_named_with_its_first_error(
    verdicts: list[str | None], marks: list[str | None], said: str
) -> None:
    of_k = [Answer("chat", "virtues", "k", error is None, error) for error in verdicts]
    of_k += [Answer("chat", "tasks", "k", error is None, error) for error in marks]
    [silent] = silent_judges([Answer("chat", "virtues", "j", given=True), *of_k])
    assert (silent["judge"], in_words(silent)) == ("k", said)
    asked = {"virtues": verdicts, "tasks": marks}
    assert silent["asked"] == {about: len(errors) for about, errors in asked.items()}
    assert silent["missing"] == {about: len(errors) - errors.count(None) for about, errors in asked.items()}


def test_each_silent_judge_has_numbers_of_its_own() -> None:
    """Also where none of its reasons is known, as in rows of former releases."""
    of_two = [("a", True), ("a", True), ("a", False), ("b", False), ("b", False)]
    found = silent_judges([Answer("chat", "virtues", judge, given) for judge, given in of_two])
    assert [in_words(silent) for silent in found] == [
        "judge a gave no verdict on 1 of 3 questions about virtues: see the report",
        "judge b gave no verdict at all: see the report",
    ]
