"""Rating studies of any size as rows of `human_ratings`, made by a model of raters with known agreement."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stoic_assets.core.ratings.rubric import DIMENSION_NAMES

Row = dict[str, Any]
MakeRow = Callable[..., Row]
MakeStudy = Callable[..., list[Row]]


def _row(rater: str, item: str, *marks: int | None, **changes: Any) -> Row:
    """One rating; the marks in the order of the dimensions, one mark for all of them."""
    given = marks * len(DIMENSION_NAMES) if len(marks) == 1 else marks
    return {
        "rater_id": rater, "test_id": item, "trial_id": None, **dict(zip(DIMENSION_NAMES, given, strict=True)),
        "overall": "maybe", "comments": "", "seconds": None, "order_index": None, "practice": False, "repeat_of": None,
        "rated_at": "2026-11-22T09:00:00+00:00", **changes,
    }  # fmt: skip


def _study(items: int, raters: int, noise: float = 0.6, missing: float = 0.0, seed: int = 0) -> list[Row]:
    """Raters see the same quality and add `noise` (a standard deviation, in marks); a share of marks is `missing`."""
    random = np.random.default_rng(seed)
    quality = random.normal(0, 1, (items, 1, len(DIMENSION_NAMES)))
    marks = 3.2 + quality + noise * random.normal(size=(items, raters, len(DIMENSION_NAMES)))
    marks = np.where(random.random(marks.shape) < missing, np.nan, np.clip(np.round(marks), 1, 5))
    rows = []
    for item in range(items):
        for rater in range(raters):
            given = [None if np.isnan(mark) else int(mark) for mark in marks[item, rater]]
            known = [mark for mark in given if mark is not None]
            mean = sum(known) / len(known) if known else 3
            overall = "yes" if mean > 3.6 else "no" if mean < 2.6 else "maybe"
            rows.append(_row(f"rater-{rater}", f"item-{item:03}", *given, overall=overall))
    return rows


@pytest.fixture
def make_row() -> MakeRow:
    return _row


@pytest.fixture(scope="session")
def make_study() -> MakeStudy:
    return _study
