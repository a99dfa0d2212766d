"""The judge's calibration in the warehouse: made from verdicts and ratings of all versions, read before judging.

What makes it needs numpy, and is imported when it is made.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from stoic_assets.adapters.warehouse import Warehouse
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calibration.confidence_map import Calibration, calibration_of
from stoic_assets.core.releases import ALL_VERSIONS

if TYPE_CHECKING:
    from stoic_assets.core.calibration.judge_calibration import JudgeComparison

TABLE = "judge_calibration"
PLACE = (ALL_VERSIONS, "calibration")
"""The agent version and evaluation under which the table stands."""
_VERDICTS = """
    select trial_id, virtue, judge_model, sample, score, self_confidence, grounded, exercised, error, prompt_hash
    from virtue_scores where trial_id in (select trial_id from human_ratings)
"""


def calibrate(workplace: Workplace) -> "list[JudgeComparison]":
    """Every judge against the people who rated the same replies; nothing is stored yet."""
    from stoic_assets.core.calibration.judge_calibration import judge_calibration

    verdicts = workplace.warehouse.query(_VERDICTS)
    ratings = workplace.warehouse.query("select * from human_ratings")
    settings = workplace.settings
    return judge_calibration(verdicts, ratings, settings.ratings.virtues, settings.calibration.epsilon)


def store(warehouse: Warehouse, comparisons: "list[JudgeComparison]") -> Path:
    """Writes the table anew; verdicts that are settled from now on use its maps."""
    return warehouse.write(TABLE, *PLACE, [row for found in comparisons for row in found.rows()])


def read_calibration(warehouse: Warehouse) -> Calibration:
    """The maps of the newest calibration; none before the first."""
    return calibration_of(warehouse.query(f"select confidence_map from {TABLE}"))
