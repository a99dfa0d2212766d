"""Corrections of the p of several tests, so that the chance of any false alarm among them stays at the level of one."""

from collections.abc import Sequence
from itertools import accumulate


def holm(p_values: Sequence[float]) -> list[float]:
    """Step down: the smallest p times their number, the next times one less, none below the one before."""
    ascending = sorted(range(len(p_values)), key=p_values.__getitem__)
    grown = (min(1.0, p_values[place] * (len(p_values) - rank)) for rank, place in enumerate(ascending))
    adjusted = dict(zip(ascending, accumulate(grown, max), strict=True))
    return [adjusted[place] for place in range(len(p_values))]


def hochberg(p_values: Sequence[float]) -> list[float]:
    """Step up: the largest p as it is, the next times two, and so on, none above the one after.

    Hochberg (1988), A sharper Bonferroni procedure, Biometrika 75. No p is larger than Holm's, and it keeps the same
    promise unless tests contradict each other.
    """
    descending = sorted(range(len(p_values)), key=p_values.__getitem__, reverse=True)
    grown = (p_values[place] * (rank + 1) for rank, place in enumerate(descending))
    adjusted = dict(zip(descending, accumulate(grown, min), strict=True))
    return [adjusted[place] for place in range(len(p_values))]
