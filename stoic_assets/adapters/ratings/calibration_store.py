"""The judge's calibration in the warehouse: computed from verdicts and ratings of all versions, read before judging.

The module that computes it needs numpy, so it is imported only then.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from stoic_assets.adapters.disk.files import write_whole
from stoic_assets.adapters.models.stand_in import judged_by_stand_in
from stoic_assets.adapters.ratings.rating_keys import rating_pages, ratings_locked, read_keys
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.judging.confidence_map import Calibration, calibration_of
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.study import by_newest_rubric, rubric_of
from stoic_assets.core.releases import ALL_VERSIONS
from stoic_assets.core.table_rows import Row

if TYPE_CHECKING:
    from stoic_assets.core.calibration.judge_calibration import JudgeComparison

TABLE = "judge_calibration"
PLACE = (ALL_VERSIONS, "calibration")
"""The agent version and evaluation under which the table is stored."""
_VERDICTS = """
    select trial_id, virtue, judge_model, sample, score, self_confidence, grounded, prompt_hash
    from virtue_scores where trial_id in (select trial_id from human_ratings)
"""


@dataclass(frozen=True)
class Calibrated:
    """Every judge compared with people: the table's rows and file, and that of the report.

    `inattention` is a sentence about raters who were inattentive; empty without any.
    """

    comparisons: "list[JudgeComparison]"
    rows: list[Row]
    table: Path
    report: Path
    inattention: str


def calibrate_and_store(workplace: Workplace) -> Calibrated:
    """Calibrates, and writes table and report.

    No rating comes in meanwhile, and no other process calibrates: it could store last what it computed from fewer.
    """
    with ratings_locked(workplace):
        found, inattention = calibrate(workplace)
        rows = [row for each in found for row in each.rows()]
        table, report = store_calibration(workplace.warehouse, rows), write_report(workplace, found, inattention)
    return Calibrated(found, rows, table, report, inattention)


def calibrate(workplace: Workplace) -> "tuple[list[JudgeComparison], str]":
    """Compares every judge with the people who rated the same replies by the newest rubric; nothing is stored yet.

    The second is a sentence about those of them who missed attention items or were too fast; empty without any.
    """
    from stoic_assets.core.calibration.judge_calibration import judge_calibration
    from stoic_assets.core.ratings.inattention import inattention_in

    warehouse, settings = workplace.warehouse, workplace.settings
    collected, keys = warehouse.query("select * from human_ratings"), read_keys(workplace.project.home)
    ratings, rubric = by_newest_rubric(collected, keys)
    virtues, epsilon = settings.ratings.virtues, settings.calibration.epsilon
    found = judge_calibration(warehouse.query(_VERDICTS), ratings, virtues, epsilon)
    raters = {row["rater_id"] for row in ratings}
    others = [row for row in collected if row["trial_id"] is None and row["rater_id"] in raters]
    training = [row for row in others if rubric_of(row, keys) == rubric]
    items = {test_id: RatedItem(words=key.words, attention=key.attention) for test_id, key in keys.items()}
    inattention = inattention_in([*ratings, *training], items)
    return [replace(each, rubric=rubric) for each in found], inattention


def store_calibration(warehouse: Warehouse, rows: Sequence[Row]) -> Path:
    """Writes the whole table; verdicts that are settled from now on use its maps."""
    return warehouse.write(TABLE, *PLACE, rows)


def write_report(workplace: Workplace, comparisons: "list[JudgeComparison]", inattention: str) -> Path:
    """Writes the measures and reliability diagrams as one HTML file."""
    from stoic_assets.core.calibration.calibration_page import render_calibration

    offline = judged_by_stand_in(found.judge for found in comparisons)
    page = render_calibration(comparisons, offline=offline, inattention=inattention)
    return write_whole(rating_pages(workplace) / "calibration.html", page)


def read_calibration(warehouse: Warehouse) -> Calibration:
    """The maps of the newest calibration; none before the first."""
    return calibration_of(warehouse.query(f"select confidence_map from {TABLE}"))


def calibration_rows(warehouse: Warehouse) -> list[Row]:
    """The rows of the newest calibration; none before the first."""
    return warehouse.read_if_stored(TABLE, *PLACE)
