"""Feedback made short."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.feedback.feedback_file import DimensionFeedback, Metrics


@pytest.fixture
def metrics() -> Callable[..., Metrics]:
    """Metrics from (dimension, score, confidence) triples or entries."""

    def make(*entries: Any, **rest: Any) -> Metrics:
        found = [
            entry if isinstance(entry, DimensionFeedback)
            else DimensionFeedback(dimension=entry[0], score=entry[1], confidence=entry[2])
            for entry in entries
        ]  # fmt: skip
        usual = {"overall_satisfaction": 0.6, "interpretation_confidence": 0.8}
        return Metrics(dimension_feedback=tuple(found), **{**usual, **rest})

    return make


@pytest.fixture
def metrics_file() -> Callable[..., str]:
    """The text of a feedback file; a key with None is left out."""

    def make(**keys: Any) -> str:
        usual = {
            "agent_version": "marcus@1.1.0", "task_id": "mentor",
            "dimension_feedback": [{"dimension": "accuracy", "score": 0.4, "confidence": 0.9}],
            "overall_satisfaction": 0.5, "interpretation_confidence": 0.8,
        }
        return json.dumps({key: value for key, value in {**usual, **keys}.items() if value is not None}, indent=1)

    return make
