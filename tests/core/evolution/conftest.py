"""Stoic evaluations made short."""

from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation, VirtueFinding


@pytest.fixture
def head() -> EvaluationHead:
    return EvaluationHead("marcus@1.1.0", "night-7", "2026-03-01T04:00:00+02:00")


@pytest.fixture
def finding() -> Callable[..., VirtueFinding]:
    def make(score: float, confidence: float = 0.9, *suggestions: str) -> VirtueFinding:
        return VirtueFinding(score, "because", ("a quote",), suggestions, confidence)

    return make


@pytest.fixture
def judged(head: EvaluationHead, finding: Callable[..., VirtueFinding]) -> Callable[..., StoicEvaluation]:
    def make(trial_id: str, job: str, overall: float, **rest: Any) -> StoicEvaluation:
        virtues = rest.pop("virtues", {"wisdom": finding(overall)})
        return StoicEvaluation(trial_id, rest.pop("head", head), job, virtues, overall, 0.9, **rest)

    return make
