"""What each rater said about one item."""

from dataclasses import dataclass

import numpy as np

from stoic_assets.core.ratings.analysis import RatingAnalysis
from stoic_assets.core.ratings.rating_table import ANSWERS
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES, Overall


@dataclass(frozen=True)
class RaterMarks:
    """One rater's marks in the order of the dimensions, overall answer and comment; None where there is none."""

    rater: str
    marks: tuple[int | None, ...]
    overall: Overall | None
    comment: str | None


def item_marks(test_id: str, analysis: RatingAnalysis) -> list[RaterMarks]:
    """The raters who gave this item any mark or answer."""
    table = analysis.table
    place = table.items.index(test_id)
    found = []
    for column, rater in enumerate(table.raters):
        marks = tuple(_whole(table.marks[dimension][place, column]) for dimension in DIMENSION_NAMES)
        answer = _whole(table.overall[place, column])
        if any(value is not None for value in (*marks, answer)):
            overall = None if answer is None else ANSWERS[answer - 1]
            found.append(RaterMarks(rater, marks, overall, analysis.comments.get((test_id, rater))))
    return found


def _whole(value: float) -> int | None:
    return None if np.isnan(value) else int(value)
