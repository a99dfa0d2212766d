"""The analysis of one study among the collected ratings: its tables, its report and its discussion sheet.

The figures need numpy and take seconds, so their modules are imported only when used.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stoic_assets.adapters.disk.files import write_whole
from stoic_assets.adapters.ratings.rating_keys import rating_pages, ratings_locked, read_keys
from stoic_assets.adapters.ratings.ratings_store import rated_items
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import NothingYet
from stoic_assets.core.ratings.study import chosen_study
from stoic_assets.core.releases import ALL_VERSIONS

if TYPE_CHECKING:
    from stoic_assets.core.ratings.analysis import RatingAnalysis

PLACE = (ALL_VERSIONS, "ratings")
"""The agent version and evaluation under which the tables are stored: a study may span several."""


@dataclass(frozen=True)
class Analysed:
    """The analysis of a study and the files that it was written to."""

    analysis: "RatingAnalysis"
    report: Path
    discussion_sheet: Path


def analyse_ratings(workplace: Workplace, page_id: str | None = None) -> Analysed:
    """Analyses the ratings of one page, by default of the one that was rated last.

    Those that come in meanwhile wait, as does another analysis: it could store last what it computed from fewer.
    Raises `NothingYet` when there are none, and `ConfigurationError` for a page without any.
    """
    with ratings_locked(workplace):
        return _analyse_and_store(workplace, page_id)


def _analyse_and_store(workplace: Workplace, page_id: str | None) -> Analysed:
    from stoic_assets.core.ratings.analysis import analyse
    from stoic_assets.core.ratings.analysis_document import rater_check_rows, reliability_rows
    from stoic_assets.core.ratings.report.discussion_sheet import discussion_sheet
    from stoic_assets.core.ratings.report.page import render_analysis

    folder, warehouse = rating_pages(workplace), workplace.warehouse
    rows = warehouse.query("select * from human_ratings")
    if not rows:
        raise NothingYet("there are no ratings; import some with `stoic ratings collect FILE_OR_FOLDER`")
    keys = read_keys(workplace.project.home)
    analysis = analyse(chosen_study(rows, keys, page_id), rated_items(warehouse, keys))
    report = write_whole(folder / "analysis.html", render_analysis(analysis))
    sheet = write_whole(folder / "discussion.md", discussion_sheet(analysis))
    warehouse.write("rater_reliability", *PLACE, reliability_rows(analysis))
    warehouse.write("rater_checks", *PLACE, rater_check_rows(analysis))
    warehouse.publish()
    return Analysed(analysis, report, sheet)
