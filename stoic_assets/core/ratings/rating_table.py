"""Ratings in array form: items × raters for each question, NaN where a rater gave no mark, and sums with such gaps.

Only ratings that count are included: no practice, no attention items, no repeats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES, LEVELS, Overall
from stoic_assets.core.table_rows import Rows

Floats = npt.NDArray[np.float64]

MARKS = len(LEVELS)
"""Marks are whole numbers from 1 to this."""
ANSWERS: tuple[Overall, ...] = ("no", "maybe", "yes")
"""The answers to the overall question, worst first; in arrays they are 1, 2, 3."""
NO, _, YES = range(1, len(ANSWERS) + 1)


@dataclass(frozen=True, eq=False)
class RatingTable:
    """Ratings of one study. Arrays have a row for each of `items` and a column for each of `raters`, both sorted.

    `marks` has an array of 1–5 for each of `DIMENSION_NAMES`; `overall` holds 1 (no), 2 (maybe), 3 (yes). `ratings`
    counts pairs of rater and item.
    """

    items: tuple[str, ...]
    raters: tuple[str, ...]
    marks: Mapping[str, Floats]
    overall: Floats
    ratings: int

    def all_marks(self) -> Floats:
        """The marks of all dimensions in one array: dimensions × items × raters."""
        return np.stack([self.marks[dimension] for dimension in DIMENSION_NAMES])


def rating_table(rows: Rows) -> RatingTable:
    """The arrays of the rows that `counted` selects.

    Raises `ConfigurationError` for a mark that is not on the scale: collection would have refused such a row.
    """
    items, raters = (tuple(sorted({row[key] for row in rows})) for key in ("test_id", "rater_id"))
    place, column = _numbered(items), _numbered(raters)
    at = (
        np.array([place[row["test_id"]] for row in rows], dtype=np.intp),
        np.array([column[row["rater_id"]] for row in rows], dtype=np.intp),
    )
    code: dict[str, float] = {word: number for number, word in enumerate(ANSWERS, 1)}

    def filled(values: Sequence[float | None], question: str, levels: int) -> Floats:
        marks = np.full((len(items), len(raters)), np.nan)
        marks[at] = np.array(values, dtype=np.float64)
        _check(marks, question, levels, items)
        return marks

    dimensions: dict[str, Floats] = {key: filled([row.get(key) for row in rows], key, MARKS) for key in DIMENSION_NAMES}
    overall = filled([code.get(row.get("overall") or "") for row in rows], "overall", len(ANSWERS))
    return RatingTable(items, raters, dimensions, overall, len(set(zip(*at, strict=True))))


def _numbered(names: Sequence[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


def _check(marks: Floats, question: str, levels: int, items: Sequence[str]) -> None:
    wrong = ~np.isnan(marks) & ~np.isin(marks, np.arange(1, levels + 1))
    if wrong.any():
        item = items[int(np.argwhere(wrong)[0][0])]
        raise ConfigurationError(
            f"human_ratings: {question} of item {item} is not a whole number from 1 to {levels}: collect its file again"
        )


def category_counts(marks: Floats, levels: int) -> Floats:
    """How many raters gave each item each of the levels 1–`levels`: items × levels."""
    return np.stack([(marks == level).sum(axis=1) for level in range(1, levels + 1)], axis=1).astype(np.float64)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """The quotient, NaN where the denominator is zero or below."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    quotient: Floats = np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator > 0)
    return quotient


def mean_of(values: Floats, axis: int = -1) -> Floats:
    """The mean along an axis of the values present, NaN where there are none."""
    return ratio(np.nansum(values, axis=axis), (~np.isnan(values)).sum(axis=axis).astype(np.float64))


def mean_draws(values: Floats, weights: Floats) -> Floats:
    """The mean over items of the values present, in each draw, NaN where there are none; `weights`: draws × items."""
    return ratio(weights @ np.nan_to_num(values), weights @ ~np.isnan(values))
