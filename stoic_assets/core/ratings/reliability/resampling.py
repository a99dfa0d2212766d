"""The bootstrap over items: which items a draw contains.

A draw is a row of weights: how many times each item occurs in it. So one matrix product gives, for every draw, the sums
over items that a statistic consists of. Ratings of one item stay together, since they are not independent.
"""

from dataclasses import dataclass

import numpy as np

from stoic_assets.core.ratings.rating_table import Floats


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
