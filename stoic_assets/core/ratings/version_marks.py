"""What raters think of each version whose replies a study shows: the mean of every dimension, and the share of yes.

Each reply counts once, by the mean of its marks, however many people rated it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stoic_assets.core.presentation.names import natural
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.rating_table import YES, Floats, RatingTable, mean_draws, mean_of
from stoic_assets.core.ratings.reliability.estimate import (
    Estimate,
    Resampling,
    as_observed,
    item_weights,
    with_interval,
)


@dataclass(frozen=True)
class VersionMarks:
    """The raters' view of one version over so many of its replies.

    `dimensions` has a mean mark, 1–5, for each dimension; `yes` is the share of yes among the overall answers, 0–1.
    """

    agent_version: str
    items: int
    dimensions: Mapping[str, Estimate]
    yes: Estimate


def version_marks(
    table: RatingTable, known: Mapping[str, RatedItem], resampling: Resampling
) -> tuple[VersionMarks, ...]:
    """One for each version that is known, in the order of their numbers; `known` is by blind id."""
    versions = [known[item].agent_version if item in known else None for item in table.items]
    return tuple(
        _of(version, np.array([each == version for each in versions]), table, resampling)
        for version in sorted({version for version in versions if version}, key=natural)
    )


def _of(version: str, own: npt.NDArray[np.bool_], table: RatingTable, resampling: Resampling) -> VersionMarks:
    weights = item_weights(int(own.sum()), resampling)
    answers = table.overall[own]
    said_yes = np.where(np.isnan(answers), np.nan, answers == YES)
    dimensions = {name: _mean(mean_of(marks[own]), weights) for name, marks in table.marks.items()}
    return VersionMarks(version, int(own.sum()), dimensions, _mean(mean_of(said_yes), weights))


def _mean(values: Floats, weights: Floats) -> Estimate:
    """The mean over items, without those that have no value."""
    value, draws = mean_draws(values, as_observed(len(values)))[0], mean_draws(values, weights)
    return with_interval(value, draws, int((~np.isnan(values)).sum()), "nobody gave a mark")
