"""The analysis of ratings whose page does not matter."""

from collections.abc import Mapping

from stoic_assets.core.ratings.analysis import RatingAnalysis, analyse
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.reliability.estimate import USUAL, Resampling
from stoic_assets.core.ratings.study import Study
from stoic_assets.core.table_rows import Rows


def analyse_rows(
    rows: Rows, items: Mapping[str, RatedItem] | None = None, resampling: Resampling = USUAL
) -> RatingAnalysis:
    """The analysis of rows of `human_ratings` that are all of one study; of the items nothing is known by default."""
    return analyse(Study("p*1", None, rows), items or {}, resampling)
