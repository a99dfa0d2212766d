"""The analysis of one rating study: agreement, the gate, checks of raters, and what influences the result.

It is a pure function of the study and of what is known about its items. The same rows in any order give the same
figures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.rater_checks import RaterChecks, rater_checks
from stoic_assets.core.ratings.rater_overview import RaterOverview, rater_overviews
from stoic_assets.core.ratings.rating_table import RatingTable, mean_of, rating_table
from stoic_assets.core.ratings.reliability.correlation import spearman
from stoic_assets.core.ratings.reliability.dimension_reliability import (
    DimensionReliability,
    dimension_reliability,
    overall_reliability,
)
from stoic_assets.core.ratings.reliability.estimate import USUAL, Estimate, Resampling, item_weights
from stoic_assets.core.ratings.reliability.rater_influence import alpha_without, leniency
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES
from stoic_assets.core.ratings.study import Study, by_kind
from stoic_assets.core.ratings.version_marks import VersionMarks, version_marks


@dataclass(frozen=True, eq=False)
class RatingAnalysis:
    """All results of the analysis of a `study`.

    `leniency` and `alpha_without` are by rater; `effectiveness` is Spearman's correlation of each dimension's mean mark
    with the agent's own effectiveness, empty where the agent reports none; `comments` are by item and rater. `raters`
    says what each of them did; `versions` are those whose replies were rated, as far as they are known.
    """

    study: Study
    table: RatingTable
    items: Mapping[str, RatedItem]
    dimensions: Mapping[str, DimensionReliability]
    overall: Mapping[str, Estimate]
    checks: RaterChecks
    raters: Sequence[RaterOverview]
    leniency: Mapping[str, Estimate]
    alpha_without: Mapping[str, Mapping[str, float | None]]
    effectiveness: Mapping[str, Estimate]
    comments: Mapping[tuple[str, str], str]
    versions: Sequence[VersionMarks]


def analyse(study: Study, items: Mapping[str, RatedItem], resampling: Resampling = USUAL) -> RatingAnalysis:
    """The analysis of a study; `items`, by blind id, may be more or fewer than were rated.

    `resampling` is over items. Raises `ConfigurationError` for a row that collection would have refused.
    """
    ratings = by_kind(study.rows, items)
    table = rating_table(ratings.counted)
    weights = item_weights(len(table.items), resampling)
    return RatingAnalysis(
        study=study,
        table=table,
        items=items,
        dimensions=dimension_reliability(table, weights),
        overall=overall_reliability(table, weights),
        checks=rater_checks(ratings, table, items),
        raters=rater_overviews(ratings, table, items),
        leniency=leniency(table, weights),
        alpha_without=alpha_without(table),
        effectiveness=_effectiveness(table, items, resampling),
        comments={(row["test_id"], row["rater_id"]): row["comments"] for row in ratings.counted if row.get("comments")},
        versions=version_marks(table, items, resampling),
    )


def _effectiveness(
    table: RatingTable, items: Mapping[str, RatedItem], resampling: Resampling
) -> dict[str, Estimate]:
    known = [items[item].effectiveness if item in items else None for item in table.items]
    if all(value is None for value in known):
        return {}
    reported = np.array(known, dtype=np.float64)
    return {name: spearman(mean_of(table.marks[name]), reported, resampling) for name in DIMENSION_NAMES}
