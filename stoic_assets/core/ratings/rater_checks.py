"""Checks of raters over one study. What they find is something to talk about: nobody is excluded because of a flag.

An outlier is found by comparing a rater only with the others: their mean on the item, and how much they differ among
themselves. So one odd rater cannot hide by widening the spread, nor make the others look odd.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.formatting import beside, difference, percent
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.rating_table import ANSWERS, MARKS, NO, YES, Floats, RatingTable, mean_of, ratio
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES
from stoic_assets.core.ratings.study import RatingsByKind
from stoic_assets.core.table_rows import Row, Rows


@dataclass(frozen=True)
class RaterFlag:
    """One rater, the name of the check, and what was seen, in one sentence."""

    rater_id: str
    check: str
    detail: str


@dataclass(frozen=True)
class RaterChecks:
    """The flags, and the checks that could not be made at all, with the reason."""

    flags: Sequence[RaterFlag]
    not_made: Mapping[str, str]


def rater_checks(ratings: RatingsByKind, table: RatingTable, items: Mapping[str, RatedItem]) -> RaterChecks:
    """Every check of every rater, by rater; `table` are the ratings that count."""
    flags = [
        *straight_lining(table), *always_high(table), *contradictory_overall(table), *outliers(table),
        *too_fast(ratings.counted, items), *inconsistent_repeats(ratings.repeat_changes),
        *missed_attention(ratings.attention, items),
    ]  # fmt: skip
    timed = any(_timed(row, items) for row in ratings.counted)
    few = "" if any(_marks_of_raters(table)) else f"no rater gave {FEWEST_MARKS} marks"
    not_made = {
        "straight_lining": few,
        "always_high": few,
        "outlier": "" if _of_three(table) else "no item has marks of three raters",
        "too_fast": "" if timed else "no rating has both a time and a known text",
        "inconsistent_repeats": "" if ratings.repeat_changes else "no rater marked an item twice",
        "missed_attention": "" if ratings.attention else "no attention item was shown",
    }
    flags.sort(key=lambda flag: (flag.rater_id, flag.check))
    return RaterChecks(flags, {check: why for check, why in not_made.items() if why})


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
            detail = f"{percent(share)} of {len(marks)} marks are {commonest}, standard deviation {spread:.2f}"
            yield RaterFlag(rater, "straight_lining", detail)


def always_high(table: RatingTable) -> Iterator[RaterFlag]:
    """Raters whose mean mark is above 4.5, or who give a 5 in 70 % or more."""
    for rater, marks in _marks_of_raters(table):
        mean, fives = float(marks.mean()), (marks == MARKS).mean()
        if mean > HIGHEST_MEAN or fives >= MOST_FIVES:
            detail = f"mean {beside(mean, HIGHEST_MEAN)} over {len(marks)} marks, {percent(fives)} of them {MARKS}"
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


FARTHEST = 3.0
"""The |z| beyond which a mark is an outlier."""
MOST_OUTLIERS = 0.05
"""The share of outliers from which on a rater is flagged; chance alone gives about 0.3 %."""
FEWEST_OUTLIERS = 3
ROUNDING_SD = 1 / np.sqrt(12)
"""The standard deviation that rounding to whole marks causes: even perfect agreement is no more precise than that."""


def outliers(table: RatingTable) -> Iterator[RaterFlag]:
    """Raters with 5 % or more (at least 3) of their marks more than 3 standard deviations from the others' mean."""
    scores = np.stack([outlier_scores(table.marks[dimension]) for dimension in DIMENSION_NAMES])
    for column, rater in enumerate(table.raters):
        own = scores[:, :, column]
        far, judged = int((np.abs(own) > FARTHEST).sum()), int((~np.isnan(own)).sum())
        if far >= max(FEWEST_OUTLIERS, MOST_OUTLIERS * judged):
            dimension, item = np.unravel_index(np.nanargmax(np.abs(own)), own.shape)
            mark = table.marks[DIMENSION_NAMES[dimension]][item, column]
            distance = difference(own[dimension, item])
            example = f"{DIMENSION_NAMES[dimension]} {mark:.0f} for {table.items[item]} (z {distance})"
            detail = f"{far} of {judged} marks are far from the others', for example {example}"
            yield RaterFlag(rater, "outlier", detail)


def _of_three(table: RatingTable) -> bool:
    """Whether any mark can be compared with two others on the same item."""
    return bool(((~np.isnan(table.all_marks())).sum(axis=2) >= 3).any())


def outlier_scores(marks: Floats) -> Floats:
    """z of each mark against the other raters of its item: items × raters, NaN where fewer than two others rated.

    The unit is the others' standard deviation within items, pooled over all items, widened by the uncertainty of the
    mean of those n marks: σ·√(1 + 1/n).
    """
    scores = np.full(marks.shape, np.nan)
    for column in range(marks.shape[1]):
        others = np.delete(marks, column, axis=1)
        given = (~np.isnan(others)).sum(axis=1).astype(np.float64)
        means = ratio(np.nansum(others, axis=1), given)
        spread = max(_pooled_sd(others, means, given), ROUNDING_SD)
        comparable = given >= 2
        distance = (marks[:, column] - means)[comparable]
        scores[comparable, column] = distance / (spread * np.sqrt(1 + 1 / given[comparable]))
    return scores


def _pooled_sd(marks: Floats, means: Floats, given: Floats) -> float:
    freedom = (given - 1)[given >= 2].sum()
    return float(np.sqrt(np.nansum((marks - means[:, None]) ** 2) / freedom)) if freedom else 0.0


WORDS_PER_MINUTE = 400
"""Faster than almost everybody reads with understanding."""
MOST_HASTY = 0.2
"""The share of hasty ratings from which on a rater is flagged; everybody skims now and then."""


def too_fast(rows: Rows, items: Mapping[str, RatedItem]) -> Iterator[RaterFlag]:
    """Raters who gave a fifth or more of their ratings faster than 400 words a minute."""
    timed = grouped(
        (row["rater_id"], row["seconds"] < items[row["test_id"]].words / WORDS_PER_MINUTE * 60)
        for row in rows if _timed(row, items)
    )  # fmt: skip
    for rater, hasty_ones in sorted(timed.items()):
        if sum(hasty_ones) >= MOST_HASTY * len(hasty_ones):
            detail = f"{sum(hasty_ones)} of {len(hasty_ones)} items rated faster than {WORDS_PER_MINUTE} words a minute"
            yield RaterFlag(rater, "too_fast", detail)


def _timed(row: Row, items: Mapping[str, RatedItem]) -> bool:
    """Whether both the time of a rating and the words to read are known."""
    item = items.get(row["test_id"])
    return row.get("seconds") is not None and item is not None and item.words > 0


LARGEST_CHANGE = 1.0
"""The mean change, in marks, above which a rater is flagged. Marks at random change by 1.6 on average."""


def inconsistent_repeats(changes: Mapping[str, Sequence[float]]) -> Iterator[RaterFlag]:
    """Raters whose `repeat_changes` are more than a mark on average."""
    for rater, differences in sorted(changes.items()):
        if (mean := sum(differences) / len(differences)) > LARGEST_CHANGE:
            shown = beside(mean, LARGEST_CHANGE)
            detail = f"marks on repeated items changed by {shown} on average, over {len(differences)} marks"
            yield RaterFlag(rater, "inconsistent_repeats", detail)


def missed_attention(rows: Rows, items: Mapping[str, RatedItem]) -> Iterator[RaterFlag]:
    """Raters who gave an attention item any other answer than it asked for; `rows` are those of attention items."""
    seen = Counter(row["rater_id"] for row in rows)
    missed = Counter(row["rater_id"] for row in rows if not heeded(row, items))
    for rater, number in sorted(missed.items()):
        yield RaterFlag(rater, "missed_attention", f"{number} of {seen[rater]} attention items not answered as asked")


def heeded(row: Row, items: Mapping[str, RatedItem]) -> bool:
    """Whether an attention item was answered as it asks."""
    return all(row.get(question) == answer for question, answer in items[row["test_id"]].attention.items())
