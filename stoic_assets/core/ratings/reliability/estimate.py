"""A figure of a study, its interval by the bootstrap over items, and why one of them is missing.

A draw is a row of weights: how many times each item occurs in it. So one matrix product gives, for every draw, the sums
over items that a statistic consists of. Ratings of one item stay together, since they are not independent.
"""

from dataclasses import dataclass

import numpy as np

from stoic_assets.core.presentation.formatting import percent, plural
from stoic_assets.core.ratings.rating_table import Floats
from stoic_assets.core.ratings.study import FEWEST_ITEMS
from stoic_assets.core.rounding import ROUNDING

CONFIDENCE = 0.95
DEFINED_SHARE = 0.95
"""The least share of draws in which a figure must exist for an interval to be valid."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval. `why` explains what is None; it is None itself when nothing is missing."""

    estimate: float | None
    low: float | None
    high: float | None
    why: str | None


def undefined(why: str) -> Estimate:
    """A missing figure, with the reason."""
    return Estimate(None, None, None, why)


def with_interval(value: float, draws: Floats, items: int, why: str) -> Estimate:
    """The figure with the percentile interval of its bootstrap `draws`; `items` is the number of items behind it.

    `why` is the reason to give if `value` does not exist (NaN).
    """
    if not np.isfinite(value):
        return undefined(why)
    if items < FEWEST_ITEMS:
        return Estimate(float(value), None, None, f"{plural(items, 'item')}: an interval needs at least {FEWEST_ITEMS}")
    defined = draws[np.isfinite(draws)]
    if len(defined) < DEFINED_SHARE * len(draws):
        missing = 1 - len(defined) / len(draws)
        return Estimate(float(value), None, None, f"no interval: {percent(missing)} of the resamples give no estimate")
    low, high = np.quantile(defined, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    if not low - ROUNDING <= value <= high + ROUNDING:
        return Estimate(float(value), None, None, "no interval: that of the resamples does not contain the estimate")
    return Estimate(float(value), float(low), float(high), None)


@dataclass(frozen=True)
class Resampling:
    """The number of draws, and the seed that fixes them."""

    draws: int = 1000
    seed: int = 1


USUAL = Resampling()


def item_weights(items: int, resampling: Resampling) -> Floats:
    """Draws × items: each draw takes as many items as there are, with replacement."""
    if not items:
        return np.zeros((resampling.draws, 0))
    random = np.random.default_rng(resampling.seed)
    return random.multinomial(items, np.full(items, 1 / items), size=resampling.draws).astype(np.float64)


def as_observed(items: int) -> Floats:
    """The study itself as a draw: every item once."""
    return np.ones((1, items))
