"""How far apart equal numbers may be, since sums and means of fractions are not exact."""

ROUNDING = 1e-9
"""Scores and figures made of them that differ by less are equal.

It is far more than the error of a sum of thousands of scores (1e-12), and far less than any difference that is shown.
"""


def falls_short(value: float, bound: float) -> bool:
    """Whether `value` is below `bound` by more than rounding."""
    return value < bound - ROUNDING
