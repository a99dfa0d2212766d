"""Only words that were said are handed on as evidence."""

import json
from collections.abc import Callable
from typing import Any

from stoic_assets.core.evolution.said_examples import only_said
from stoic_assets.core.evolution.stoic_evaluation import StoicEvaluation, VirtueFinding

CALL = {"request": {"function": "create_reminder", "arguments": {"due": "2026-03-03"}}}
LIST = {"request": {"function": {"name": "list_reminders"}}}


def turn(trial: str, number: int, content: str, *events: Any) -> dict[str, Any]:
    return {
        "trial_id": trial, "turn": number, "speaker": "agent", "content": content, "events": json.dumps(list(events)),
    }


def test_invented_words_are_dropped_and_the_rest_is_kept(judged: Callable[..., StoicEvaluation]) -> None:
    examples = ("I set a *reminder*", "I never said this", 'create_reminder {"due": "2026-03-03"} list_reminders {}')
    found = VirtueFinding(0.5, "because", examples, ("ask",), 0.9)
    evaluation = judged("t1", "a", 0.5, virtues={"temperance": found, "justice": found})
    turns = [turn("t1", 2, "Then I set a reminder.", CALL, "no event", LIST), turn("t2", 1, "I never said this")]
    [kept] = only_said([evaluation], turns)
    assert kept.virtue_scores["temperance"].supporting_examples == examples[:1]
    assert kept.virtue_scores["justice"].supporting_examples == (examples[0], examples[2])  # judged by deeds, too
    assert kept.virtue_scores["justice"].improvement_suggestions == ("ask",)
    assert (kept.id, kept.overall_score) == (evaluation.id, evaluation.overall_score)


def test_without_a_record_nothing_was_said(judged: Callable[..., StoicEvaluation]) -> None:
    [kept] = only_said([judged("t1", "a", 0.5)], [])
    assert kept.virtue_scores["wisdom"].supporting_examples == ()
