"""What the judges advise on a virtue, each suggestion with the trials in which it was made and quotes from them."""

from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest
from typing import TypedDict

from stoic_assets.core.evolution.stoic_evaluation import StoicEvaluation
from stoic_assets.core.grouping import grouped
from stoic_assets.core.virtues import Virtue

MOST_SUGGESTIONS = 10
"""Suggestions for one virtue; a longer list is not useful as advice."""
MOST_QUOTES = 3
"""Quotes for one suggestion."""


class Improvement(TypedDict):
    """One suggestion. `quotes` are the judges' examples of the virtue in the trials in which it was made."""

    virtue: Virtue
    suggestion: str
    task_ids: list[str]
    trial_ids: list[str]
    quotes: list[str]


def improvements(virtue: Virtue, evaluations: Iterable[StoicEvaluation]) -> list[Improvement]:
    """At most ten suggestions: those made in most trials first; of these, the one made in the worst trial first.

    A judge words nearly every suggestion anew, so that most are made in one trial.
    """
    judged = (each for each in evaluations if virtue in each.virtue_scores)
    made_in = grouped((made, each) for each in judged for made in each.virtue_scores[virtue].improvement_suggestions)
    ranked = sorted(made_in, key=lambda suggestion: (*_need(virtue, made_in[suggestion]), suggestion))
    return [_improvement(virtue, suggestion, made_in[suggestion]) for suggestion in ranked[:MOST_SUGGESTIONS]]


def _need(virtue: Virtue, trials: Sequence[StoicEvaluation]) -> tuple[int, float]:
    """The smaller, the more a suggestion made in these trials is needed; `weak_virtues.sql` has the same order."""
    return -len(trials), min(each.virtue_scores[virtue].score for each in trials)


def _improvement(virtue: Virtue, suggestion: str, trials: Sequence[StoicEvaluation]) -> Improvement:
    return {
        "virtue": virtue,
        "suggestion": suggestion,
        "task_ids": list(dict.fromkeys(each.task_id for each in trials)),
        "trial_ids": [each.id for each in trials],
        "quotes": _quotes([each.virtue_scores[virtue].supporting_examples for each in trials]),
    }


def _quotes(examples: Iterable[Sequence[str]]) -> list[str]:
    """The first of every trial before the second of any: a single trial would show only one case."""
    in_turn = chain.from_iterable(zip_longest(*examples))
    return list(dict.fromkeys(quote for quote in in_turn if quote))[:MOST_QUOTES]
