"""Evaluations of single trials, for properties and without scores."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation, VirtueFinding

Judged = Callable[..., StoicEvaluation]
Finding = Callable[..., VirtueFinding]
SCORE = st.floats(0, 1)


def made(trial_id: str, job: str, overall: float) -> StoicEvaluation:
    """For properties, which cannot take fixtures."""
    head = EvaluationHead("marcus@1.1.0", "night-7", "2026-03-01T04:00:00Z")
    return StoicEvaluation(trial_id, head, job, {"wisdom": VirtueFinding(overall, "", (), (), 0.9)}, overall, 0.9)


def silent(evaluation: StoicEvaluation, **rest: Any) -> StoicEvaluation:
    """The same trial without a score of any virtue."""
    return replace(evaluation, virtue_scores={}, overall_score=None, overall_confidence=None, **rest)
