"""Suggestions with the trials and words behind them."""

from collections.abc import Callable

from stoic_assets.core.evolution.advice import improvements
from stoic_assets.core.evolution.stoic_evaluation import StoicEvaluation, VirtueFinding

Judged = Callable[..., StoicEvaluation]


def advised(
    judged: Judged, trial: str, job: str, advice: tuple[str, ...], *quotes: str, score: float = 0.5
) -> StoicEvaluation:
    return judged(trial, job, 0.5, virtues={"wisdom": VirtueFinding(score, "because", quotes, advice, 0.9)})


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


def test_of_suggestions_made_equally_often_those_of_the_worst_trials_come_first(judged: Judged) -> None:
    trials = [advised(judged, f"t{n}", "a", (f"ask more in case {n}",), score=0.6) for n in range(10)]
    trials += [advised(judged, "t10", "a", ("write it down",), score=0.1), advised(judged, "t11", "a", ("z",), score=0)]
    assert [each["suggestion"] for each in improvements("wisdom", trials)][:3] == [
        "z", "write it down", "ask more in case 0",
    ]  # fmt: skip
    often = [advised(judged, f"t{n}", "a", ("listen",), score=score) for n, score in enumerate((0.6, 0.2))]
    once = advised(judged, "t2", "a", ("ask", "listen first"), score=0.1)
    assert [each["suggestion"] for each in improvements("wisdom", [once, *often])] == ["listen", "ask", "listen first"]


def test_advice_on_another_virtue_is_none_on_this(judged: Judged) -> None:
    assert improvements("courage", [advised(judged, "t1", "a", ("ask",))]) == []


def test_there_are_at_most_ten_suggestions_of_three_quotes_each(judged: Judged) -> None:
    advice = tuple(f"advice {number:02}" for number in range(50))
    found = improvements("wisdom", [advised(judged, "t1", "a", advice, *advice)])
    assert [each["suggestion"] for each in found] == list(advice[:10])
    assert {len(each["quotes"]) for each in found} == {3}
