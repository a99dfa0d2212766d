"""Studies with a known truth: raters around it, and a judge by formula."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stoic_assets.core.ratings.reliability.estimate import Resampling
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES

Row = dict[str, Any]
Judge = Callable[[float, np.random.Generator], float]


@pytest.fixture
def quick() -> Resampling:
    return Resampling(draws=200, seed=7)


@pytest.fixture
def verdict() -> Callable[..., Row]:
    """A row of `virtue_scores`."""

    def make(trial: str, score: float | None, **change: Any) -> Row:
        row = {
            "trial_id": trial, "virtue": "wisdom", "judge_model": "gpt", "sample": 0, "score": score,
            "self_confidence": 0.9, "grounded": 1.0, "prompt_hash": "p1",
        }  # fmt: skip
        return {**row, **change}

    return make


@pytest.fixture
def study(verdict: Callable[..., Row]) -> Callable[..., tuple[list[Row], list[Row]]]:
    """Verdicts and ratings; the judge is told the raters' mean. Every dimension gets the same mark."""

    def make(judge: Judge, trials: int = 80, raters: int = 4, samples: int = 1, seed: int = 0) -> Any:
        random = np.random.default_rng(seed)
        verdicts, ratings = [], []
        for number in range(trials):
            trial, worth = f"t{number}", random.integers(1, 6)
            marks = [int(np.clip(round(worth + 0.8 * random.normal()), 1, 5)) for _ in range(raters)]
            ratings += [_rating(trial, f"r{rater}", mark) for rater, mark in enumerate(marks)]
            people = (float(np.mean(marks)) - 1) / 4
            verdicts += [
                verdict(trial, float(np.clip(judge(people, random), 0, 1)), sample=sample) for sample in range(samples)
            ]
        return verdicts, ratings

    return make


def _rating(trial: str, rater: str, mark: int) -> Row:
    return {
        "agent_version": "marcus@1.1.0", "trial_id": trial, "test_id": f"x-{trial}", "rater_id": rater,
        "overall": "yes", "practice": False, "attention": False, "repeat_of": None, "rated_at": 0,
        **dict.fromkeys(DIMENSION_NAMES, mark),
    }  # fmt: skip
