"""Student's t over independent differences: the basis of comparisons wherever the differences have a spread.

Of scipy only the special functions are imported: with `scipy.stats` and statsmodels a comparison took a second and
110 MB more, for the same numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from statistics import fmean, stdev

SAME = 1e-9
"""Values closer than this differ only by rounding."""


@dataclass(frozen=True)
class TTest:
    """One sample against zero: its mean, the standard error of that mean, and the degrees of freedom."""

    mean: float
    error: float
    freedom: int

    def interval(self, confidence: float) -> tuple[float, float]:
        """The two-sided interval of the mean; `confidence` is 0–1."""
        margin = quantile(self.freedom, (1 + confidence) / 2) * self.error
        return self.mean - margin, self.mean + margin

    @property
    def p_less(self) -> float:
        """The chance of a mean as low as this if the true one were zero."""
        return _chance_below(self.freedom, self.mean / self.error)

    @property
    def p_greater(self) -> float:
        """The chance of a mean as high as this if the true one were zero."""
        return _chance_below(self.freedom, -self.mean / self.error)


def t_test(sample: Sequence[float]) -> TTest:
    """The t test of two or more values; meaningless if they are all the same."""
    return TTest(fmean(sample), stdev(sample) / sqrt(len(sample)), len(sample) - 1)


def all_alike(sample: Sequence[float]) -> bool:
    """Whether the values have no spread that a test could use."""
    return max(sample) - min(sample) < SAME


def quantile(freedom: float, share: float) -> float:
    """The value of t that a `share`, 0–1, of the distribution does not exceed."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))


@cache
def detectable(count: int, alpha: float, power: float) -> float:
    """The mean, in standard deviations, that a one-sided test of `count` values detects with that power, 0–1."""
    from scipy.special import nctdtrinc

    return float(nctdtrinc(count - 1, 1 - power, quantile(count - 1, 1 - alpha))) / sqrt(count)


def _chance_below(freedom: int, t: float) -> float:
    from scipy.special import stdtr

    return float(stdtr(freedom, t))
