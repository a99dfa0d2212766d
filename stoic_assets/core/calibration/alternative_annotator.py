"""The alternative-annotator test: may the judge replace one of the raters?

Each rater in turn is compared with the judge: who is closer to the others (negative RMSE), reply by reply? The judge
wins against a rater when the rater is closer more often than the judge by less than epsilon, which a one-sided t test
at a false discovery rate of 5 % (Benjamini–Yekutieli) must show. The rate of such wins is reported, no verdict on it;
the authors let a judge pass from 0.5 on. Calderon, Reichart, Dror, The Alternative Annotator Test, arXiv 2501.10970.
"""

from dataclasses import dataclass

import numpy as np

from stoic_assets.core.ratings.rating_table import Floats, mean_draws, mean_of, ratio
from stoic_assets.core.rounding import ROUNDING

FEWEST_ITEMS = 30
"""Items, each with another rater, that a rater must have to be compared with the judge."""
FEWEST_RATERS = 3
FALSE_DISCOVERIES = 0.05


@dataclass(frozen=True, eq=False)
class Contests:
    """Who was at least as close to the others: items × raters, 1, 0, or NaN where a rater could not be compared."""

    judge: Floats
    rater: Floats

    @property
    def raters(self) -> int:
        """How many raters were compared with the judge."""
        return int(self.judge.shape[1])


def contests(judged: Floats, rated: Floats, fewest_items: int = FEWEST_ITEMS) -> Contests:
    """Every rater with enough items against the judge; `rated` is items × raters, NaN where there is no mark."""
    judge, rater = np.full(rated.shape, np.nan), np.full(rated.shape, np.nan)
    for column in range(rated.shape[1]):
        own, others = rated[:, column], np.delete(rated, column, axis=1)
        of_judge, of_rater = _distance(judged, others), _distance(own, others)
        compared = np.isfinite(of_judge) & np.isfinite(of_rater)
        judge[compared, column] = (of_judge <= of_rater + ROUNDING)[compared]
        rater[compared, column] = (of_rater <= of_judge + ROUNDING)[compared]
    enough = np.isfinite(judge).sum(axis=0) >= fewest_items
    return Contests(judge[:, enough], rater[:, enough])


def advantage(found: Contests, weights: Floats) -> Floats:
    """The probability, in each draw, that the judge is at least as close to the others as a random rater."""
    return mean_of(mean_draws(found.judge, weights))


def winning_rate(found: Contests, epsilon: float) -> float | None:
    """The share of raters against whom the judge wins; None without raters."""
    if not found.raters:
        return None
    ranks = np.arange(1, found.raters + 1)
    limits = ranks / found.raters * FALSE_DISCOVERIES / (1 / ranks).sum()
    wins = np.where(np.sort(_chances(found, epsilon)) <= limits, ranks, 0).max()
    return float(wins / found.raters)


def _distance(values: Floats, others: Floats) -> Floats:
    """The root mean square distance of each item's value from the others' marks."""
    return np.sqrt(mean_of((others - values[:, None]) ** 2, axis=1))


def _chances(found: Contests, epsilon: float) -> Floats:
    """The p value, for each rater, of the rater being closer more often by epsilon or more."""
    from scipy.special import stdtr

    lead = found.rater - found.judge  # −1, 0 or 1, so the sums are whole numbers and the test for zero is exact
    n, total = np.isfinite(lead).sum(axis=0), np.nansum(lead, axis=0)
    spread = n * np.nansum(lead**2, axis=0) - total**2
    mean = total / n
    t = ratio(mean - epsilon, np.sqrt(ratio(spread, n * n * (n - 1))))
    return np.where(spread > 0, stdtr(n - 1, t), np.where(mean < epsilon, 0.0, 1.0))
