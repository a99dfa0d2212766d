"""What a study says about single items: how good they are, where raters disagree on them, and what each rater said."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stoic_assets.core.ratings.analysis import RatingAnalysis
from stoic_assets.core.ratings.rating_table import ANSWERS, NO, YES, Floats, RatingTable, mean_of
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES, Overall

GAP = 3
"""Marks on one question this far apart need discussion: a 1 and a 4 are not a matter of taste."""


@dataclass(frozen=True)
class ItemFinding:
    """One item. `mean` (1–5) is over its dimensions, each represented by the mean of its marks.

    `disagreement` is the variance of the marks on a dimension, averaged over dimensions. `split` names the dimensions
    with marks three or more apart, and `overall` where one rater said yes and another no.
    """

    test_id: str
    raters: int
    mean: float
    disagreement: float
    split: tuple[str, ...]


def item_findings(table: RatingTable) -> list[ItemFinding]:
    """Every item that has a mark, in the order of the table."""
    marks = table.all_marks()
    means = mean_of(marks)
    spreads = mean_of(marks**2) - means**2
    mean, disagreement = mean_of(means, axis=0), mean_of(spreads, axis=0)
    raters = (~np.isnan(marks)).any(axis=0).sum(axis=1)
    splits = _splits(table)
    return [
        ItemFinding(item, int(raters[place]), float(mean[place]), float(disagreement[place]), splits[place])
        for place, item in enumerate(table.items)
        if raters[place]
    ]


def best_and_worst(findings: Sequence[ItemFinding], most: int) -> tuple[list[ItemFinding], list[ItemFinding]]:
    """The `most` items with the highest means, best first, and as many with the lowest, worst first; no overlap."""
    ranked = sorted(findings, key=lambda item: (-item.mean, item.test_id))
    most = min(most, len(ranked) // 2)
    return ranked[:most], ranked[::-1][:most]


def disagreements(findings: Sequence[ItemFinding]) -> list[ItemFinding]:
    """The items on which raters are split, the greatest disagreement first."""
    return sorted((item for item in findings if item.split), key=lambda item: (-item.disagreement, item.test_id))


def _splits(table: RatingTable) -> list[tuple[str, ...]]:
    names = (*DIMENSION_NAMES, "overall")
    apart = [_range(table.marks[dimension]) >= GAP for dimension in DIMENSION_NAMES]
    apart.append(_range(table.overall) == YES - NO)
    return [tuple(np.array(names)[of_item].tolist()) for of_item in np.array(apart).T]


def _range(marks: Floats) -> Floats:
    """The highest mark of each item less the lowest, below zero where there is none."""
    high, low = np.where(np.isnan(marks), -np.inf, marks), np.where(np.isnan(marks), np.inf, marks)
    spread: Floats = high.max(axis=1, initial=-np.inf) - low.min(axis=1, initial=np.inf)
    return spread


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
