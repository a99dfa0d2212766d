"""Student's t over independent differences: the basis of comparisons wherever the differences have a spread.

Of scipy only the special functions are imported: with `scipy.stats` and statsmodels a comparison took a second and
110 MB more, for the same numbers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from stoic_assets.core.rounding import ROUNDING

if TYPE_CHECKING:
    import numpy as np

_FINE = 1e-6
"""How exactly a detectable mean is found."""
_SHOWN = 200
"""Quantiles of a sample's deviation: with 200 the power of five values is exact to a thousandth."""


@dataclass(frozen=True)
class TTest:
    """One sample against zero: its mean, the standard error of that mean, and the degrees of freedom."""

    mean: float
    error: float
    freedom: int

    def interval(self, confidence: float) -> tuple[float, float]:
        """The two-sided interval of the mean; `confidence` is 0–1."""
        margin = t_quantile(self.freedom, (1 + confidence) / 2) * self.error
        return self.mean - margin, self.mean + margin

    @property
    def p_less(self) -> float:
        """The chance of a mean as low as this if the true one were zero."""
        return _chance_below(self.freedom, self.mean / self.error)

    @property
    def p_greater(self) -> float:
        """The chance of a mean as high as this if the true one were zero."""
        return _chance_below(self.freedom, -self.mean / self.error)

    def detectable(self, alpha: float, power: float, least: float = 0.0) -> float:
        """The true mean at which a one-sided test like this is significant, and its mean at least `least`.

        Both together happen with that power, 0–1. Without `least` this is the power of the t test: noncentral t, a
        mixture of normal distributions over the errors that samples show.
        """
        import numpy as np
        from scipy.special import ndtr

        error = self.error
        needed = np.maximum(least, t_quantile(self.freedom, 1 - alpha) * error * _shown(self.freedom))
        return _where(lambda mean: float(ndtr((mean - needed) / error).mean()), power, float(needed[-1]) + 10 * error)


def t_test(sample: Sequence[float]) -> TTest:
    """The t test of two or more values; meaningless if they are all the same."""
    return TTest(fmean(sample), stdev(sample) / sqrt(len(sample)), len(sample) - 1)


def all_alike(sample: Sequence[float]) -> bool:
    """Whether the values have no spread that a test could use."""
    return max(sample) - min(sample) < ROUNDING


def t_quantile(freedom: float, share: float) -> float:
    """The value of t that a `share`, 0–1, of the distribution does not exceed."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))


@cache
def _shown(freedom: int) -> "np.ndarray":
    """Quantiles of the deviation that samples show, in true deviations, ascending."""
    import numpy as np
    from scipy.special import chdtri

    shares = (_SHOWN - 0.5 - np.arange(_SHOWN)) / _SHOWN
    return np.sqrt(np.asarray(chdtri(freedom, shares)) / freedom)


def _where(rising: Callable[[float], float], level: float, highest: float) -> float:
    """Where a function that rises from 0 to `highest` reaches a level, by bisection."""
    low = 0.0
    while highest - low > _FINE:
        middle = (low + highest) / 2
        low, highest = (low, middle) if rising(middle) > level else (middle, highest)
    return highest


def _chance_below(freedom: int, t: float) -> float:
    from scipy.special import stdtr

    return float(stdtr(freedom, t))
