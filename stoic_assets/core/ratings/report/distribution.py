"""How often each level was given."""

from dataclasses import dataclass

import numpy as np

from stoic_assets.core.ratings.rating_table import ANSWERS, MARKS, Floats, RatingTable
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES


@dataclass(frozen=True)
class Distribution:
    """Counts of each level, lowest first, and of ratings without a mark; mean and standard deviation of the marks."""

    question: str
    counts: tuple[int, ...]
    missing: int
    mean: float | None
    sd: float | None


def distributions(table: RatingTable) -> list[Distribution]:
    """One for each dimension, then one for the overall answers (no, maybe, yes), whose mean means little."""
    return [
        *(_distribution(dimension, table.marks[dimension], MARKS, table.ratings) for dimension in DIMENSION_NAMES),
        _distribution("overall", table.overall, len(ANSWERS), table.ratings),
    ]


def _distribution(question: str, marks: Floats, levels: int, ratings: int) -> Distribution:
    given = marks[~np.isnan(marks)]
    counts = tuple(int((given == level).sum()) for level in range(1, levels + 1))
    moments = (float(given.mean()), float(given.std())) if len(given) else (None, None)
    return Distribution(question, counts, ratings - len(given), *moments)
