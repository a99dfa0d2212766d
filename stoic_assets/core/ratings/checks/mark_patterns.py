"""Checks of how a rater uses the scale: always the same, always high, overall answers that contradict the marks."""

from collections.abc import Iterator

import numpy as np

from stoic_assets.core.ratings.checks.flag import RaterFlag
from stoic_assets.core.ratings.missing_values import mean_of
from stoic_assets.core.ratings.rating_table import ANSWERS, MARKS, NO, YES, Floats, RatingTable

FEWEST_MARKS = 10
"""Fewer marks (two items) show no pattern."""
SMALLEST_SD, MOST_SAME = 0.4, 0.8
HIGHEST_MEAN, MOST_FIVES = 4.5, 0.7
YES_FROM, NO_UP_TO = 2.5, 3.5
"""A yes contradicts marks with a mean below the first, a no marks with a mean above the second."""


def straight_lining(table: RatingTable) -> Iterator[RaterFlag]:
    """Raters whose marks have a standard deviation below 0.4, or are the same in 80 % or more."""
    for rater, marks in _marks_of_raters(table):
        values, counts = np.unique(marks, return_counts=True)
        share, spread = counts.max() / len(marks), marks.std()
        if spread < SMALLEST_SD or share >= MOST_SAME:
            commonest = int(values[counts.argmax()])
            detail = f"{share:.0%} of {len(marks)} marks are {commonest}, standard deviation {spread:.2f}"
            yield RaterFlag(rater, "straight_lining", detail)


def always_high(table: RatingTable) -> Iterator[RaterFlag]:
    """Raters whose mean mark is above 4.5, or who give a 5 in 70 % or more."""
    for rater, marks in _marks_of_raters(table):
        mean, fives = marks.mean(), (marks == MARKS).mean()
        if mean > HIGHEST_MEAN or fives >= MOST_FIVES:
            detail = f"mean {mean:.2f} over {len(marks)} marks, {fives:.0%} of them {MARKS}"
            yield RaterFlag(rater, "always_high", detail)


def contradictory_overall(table: RatingTable) -> Iterator[RaterFlag]:
    """Raters who said yes to an item that they marked below 2.5 on average, or no to one above 3.5."""
    means = mean_of(table.all_marks(), axis=0)
    against = ((table.overall == YES) & (means < YES_FROM)) | ((table.overall == NO) & (means > NO_UP_TO))
    for column, rater in enumerate(table.raters):
        items = np.flatnonzero(against[:, column])
        if len(items):
            answer = ANSWERS[int(table.overall[items[0], column]) - 1]
            example = f"{answer} to {table.items[items[0]]} with a mean of {means[items[0], column]:.1f}"
            given = (~np.isnan(table.overall[:, column])).sum()
            detail = f"{len(items)} of {given} answers, for example {example}"
            yield RaterFlag(rater, "contradictory_overall", detail)


def _marks_of_raters(table: RatingTable) -> Iterator[tuple[str, Floats]]:
    """Each rater with enough marks, and the marks in one array."""
    every = table.all_marks()
    for column, rater in enumerate(table.raters):
        marks = every[:, :, column]
        marks = marks[~np.isnan(marks)]
        if len(marks) >= FEWEST_MARKS:
            yield rater, marks
