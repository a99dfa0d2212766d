"""Whether raters agree well enough for their mean to be ground truth: yes, no, or not known yet.

The gate looks at the interval of ordinal alpha, not only at the figure: with 80 items and three raters it is about
±0.13 wide, so a figure just above the line proves nothing.

How many more raters would decide it follows from how intervals narrow. The standard error of the reliability ρ of one
mark with k marks on each item is proportional to g(k) = (1 + (k − 1)ρ) / √(k(k − 1)) (Fisher; Donner and Eliasziw,
Statistics in Medicine 6, 1987); its numerator is the term of Spearman and Brown. So with k′ marks the part of the
interval on the side of the line shrinks by the factor g(k′)/g(k); the smallest k′ that excludes the line is used.
"""

from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING, Literal

from stoic_assets.core.presentation.formatting import beside, plural

if TYPE_CHECKING:
    from stoic_assets.core.ratings.reliability.estimate import Estimate

ACCEPT = 0.6
"""Above this raters agree well enough: the whole interval must be above it."""
REVIEW = 0.5
"""Below this criteria and training need a review: the whole interval must be below it."""
FEWEST_RATERS = 3
A_PAIR = 2
"""Marks on an item from which on a missing interval of alpha is not due to missing raters."""
MOST_RATERS = 50
"""More raters than this for one item are not practicable."""

State = Literal["pass", "fail", "unknown"]


def as_alpha(value: float) -> str:
    """An alpha, or a bound of its interval, as text that shows on which side of the gate's lines it lies."""
    return beside(value, REVIEW, ACCEPT)


@dataclass(frozen=True)
class Gate:
    """The verdict on one dimension, and the reason.

    `more_raters` is None unless that many more would decide it, or are needed for alpha to have an interval at all.
    """

    state: State
    more_raters: int | None
    why: str


def gate(alpha: "Estimate", marks_per_item: float, marked: float = 1.0) -> Gate:
    """The verdict from ordinal `alpha`, the median number of marks on an item, and the share of ratings with a mark.

    The other ratings are N/A: of any additional raters, only that share will mark an item.
    """
    if not marked:
        return Gate("unknown", None, "every rater found it not applicable to every item")
    missing = ceil((FEWEST_RATERS - marks_per_item) / marked)
    if alpha.estimate is None or alpha.low is None or alpha.high is None:
        if marks_per_item < A_PAIR:
            return Gate("unknown", missing, alpha.why or "")
        found = Gate("unknown", None, alpha.why or "")
    else:
        found = _verdict(alpha.estimate, alpha.low, alpha.high, marks_per_item, marked)
    return _with_too_few_marks(found, missing) if missing > 0 else found


def _with_too_few_marks(found: Gate, missing: int) -> Gate:
    """No verdict without so many more raters, and besides whatever else is needed."""
    needed = f"{plural(missing, 'more rater')} {'is' if missing == 1 else 'are'} needed in any case"
    why = f"half of the items have fewer than {FEWEST_RATERS} marks, so {needed}"
    if found.state != "unknown":
        return Gate("unknown", missing, why)
    more = found.more_raters and max(missing, found.more_raters)
    return Gate("unknown", more, f"{why}; besides, {found.why}")


def _verdict(estimate: float, low: float, high: float, marks_per_item: float, marked: float) -> Gate:
    if low > ACCEPT:
        return Gate("pass", None, f"the whole interval lies above {ACCEPT}")
    if high < REVIEW:
        return Gate("fail", None, f"the whole interval lies below {REVIEW}: review the criteria and train the raters")
    return _undecided(estimate, low, high, marks_per_item, marked)


def _undecided(estimate: float, low: float, high: float, marks_per_item: float, marked: float) -> Gate:
    if REVIEW <= estimate <= ACCEPT:
        return Gate(
            "unknown", None,
            f"alpha lies between {REVIEW} and {ACCEPT}, where more raters alone decide nothing: sharpen the criteria",
        )
    line, reach = (ACCEPT, estimate - low) if estimate > ACCEPT else (REVIEW, high - estimate)
    more = _raters_to_settle(estimate, abs(estimate - line) / reach, marks_per_item, marked)
    if more is None:
        alone = "more raters alone cannot decide it: rate more items"
        return Gate("unknown", None, f"the interval contains {line}; {alone}")
    decide = f"with the same alpha, {more} more would decide it"
    return Gate("unknown", more, f"the interval contains {line}; {decide}")


def _raters_to_settle(alpha: float, enough: float, marks_per_item: float, marked: float) -> int | None:
    """The fewest additional raters that shrink the interval's half towards the line below the share `enough` of it."""
    reliability = min(max(alpha, 0.0), 1.0)
    marks = max(marks_per_item, A_PAIR)
    now = _spread(marks, reliability)
    for more in range(1, MOST_RATERS + 1):
        if _spread(marks + more * marked, reliability) < enough * now:
            return more
    return None


def _spread(marks: float, reliability: float) -> float:
    return (1 + (marks - 1) * reliability) / sqrt(marks * (marks - 1))
