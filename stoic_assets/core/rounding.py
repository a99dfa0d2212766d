"""Rounding: of printed scores, and how far apart equal numbers may be. Scores in tables are never rounded."""

from collections.abc import Iterable


def half_even(value: float | None) -> float | None:
    """`value` to two decimals, half to even on the exact binary value: 0.125 becomes 0.12, 0.375 becomes 0.38.

    0.145, whose binary value lies just below, becomes 0.14. Python's `round` decides on the exact value. None stays.
    """
    return None if value is None else round(value, 2)


def as_shown(value: float) -> float:
    """`value` to nine decimals, that is without the error of its sum; only then is it rounded to those that are shown.

    Else the same score is 0.21 as a plain mean and 0.20 as a weighted one, and 0.6 − 0.335 is +0.26.
    """
    return round(value, 9)


def mean(values: Iterable[float]) -> float | None:
    """The arithmetic mean, added in the order given; None for no values.

    A plain loop, since `sum` compensates for rounding from Python 3.12 on, and a score must not depend on the
    version that prints it.
    """
    total, count = 0.0, 0
    for value in values:
        total += value
        count += 1
    return total / count if count else None


ROUNDING = 1e-9
"""Scores and figures made of them that differ by less are equal.

It is far more than the error of a sum of thousands of scores (1e-12), and far less than any difference that is shown.
"""
DIGITS = 12
"""Decimal places to which figures are rounded where equal ones must meet: in ranks, bins and steps.

The mean of 0.15, 0.2, 0.25 is not quite that of 0.2, 0.2, 0.2, nor the spread of 0.3, 0.4, 0.5 that of 0.5, 0.6, 0.7.
"""


def falls_short(value: float, bound: float) -> bool:
    """Whether `value` is below `bound` by more than rounding; the macro of this name is the same rule in SQL."""
    return value < bound - ROUNDING
