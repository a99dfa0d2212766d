"""Suggestions with the trials and words behind them."""

from collections.abc import Callable

from stoic_assets.core.evolution.advice import improvements
from stoic_assets.core.evolution.stoic_evaluation import StoicEvaluation, VirtueFinding

Judged = Callable[..., StoicEvaluation]


def advised(judged: Judged, trial: str, job: str, advice: tuple[str, ...], *quotes: str) -> StoicEvaluation:
    return judged(trial, job, 0.5, virtues={"wisdom": VirtueFinding(0.5, "because", quotes, advice, 0.9)})


def test_a_suggestion_names_its_trials_and_quotes_them_in_turn(judged: Judged) -> None:
    trials = [
        advised(judged, "t1", "a", ("ask", "check"), "one", "two", "three"),
        advised(judged, "t2", "a", ("ask",), "four"),
        advised(judged, "t3", "b", ("ask",), "one", "five"),
    ]
    assert improvements("wisdom", trials) == [
        {
            "virtue": "wisdom", "suggestion": "ask", "task_ids": ["a", "b"], "trial_ids": ["t1", "t2", "t3"],
            "quotes": ["one", "four", "two"],
        },
        {
            "virtue": "wisdom", "suggestion": "check", "task_ids": ["a"], "trial_ids": ["t1"],
            "quotes": ["one", "two", "three"],
        },
    ]  # fmt: skip


def test_what_was_advised_most_comes_first_and_else_the_order_is_that_of_the_alphabet(judged: Judged) -> None:
    trials = [advised(judged, "t1", "a", ("slow", "check", "ask")), advised(judged, "t2", "a", ("slow",))]
    assert [each["suggestion"] for each in improvements("wisdom", trials)] == ["slow", "ask", "check"]


def test_advice_on_another_virtue_is_none_on_this(judged: Judged) -> None:
    assert improvements("courage", [advised(judged, "t1", "a", ("ask",))]) == []


def test_there_are_at_most_ten_suggestions_of_three_quotes_each(judged: Judged) -> None:
    advice = tuple(f"advice {number:02}" for number in range(50))
    found = improvements("wisdom", [advised(judged, "t1", "a", advice, *advice)])
    assert [each["suggestion"] for each in found] == list(advice[:10])
    assert {len(each["quotes"]) for each in found} == {3}
