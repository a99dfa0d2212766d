"""The report of a calibration: one HTML document with every measure of every judge, and the reliability diagrams."""

from collections.abc import Sequence

from markupsafe import Markup

from stoic_assets.core.calibration.against_people import against_people
from stoic_assets.core.calibration.judge_calibration import EDGES, JudgeComparison
from stoic_assets.core.calibration.reliability_diagram import reliability_diagram_svg
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE
from stoic_assets.core.ratings.report.document import render_document
from stoic_assets.core.ratings.rubric import DIMENSIONS

SIGNAL_TITLES = {"spread": "agreement of verdicts", "self": "the judge’s own"}
"""What a confidence is read from, in words."""
EDGE_TITLES = {edge: dimension.title for edge, dimension in zip(EDGES, DIMENSIONS, strict=True)}


def render_calibration(comparisons: Sequence[JudgeComparison], offline: bool = False, inattention: str = "") -> str:
    """The report as one HTML document, to be written as UTF-8.

    `offline` says that a stand-in was among the judges; `inattention` is a sentence about raters, empty without any.
    """
    maps = [each for found in comparisons for each in found.maps.values()]
    # The markup is safe: matplotlib escapes the labels.
    charts = [Markup(reliability_diagram_svg(each, f"map-{number}")) for number, each in enumerate(maps)]  # noqa: S704
    return render_document(
        "calibration.html.jinja", "core/calibration/templates", comparisons=comparisons, agree=_agree(comparisons),
        compared=[found for found in comparisons if found.trials], not_compared=_not_compared(comparisons),
        rated=[found for found in comparisons if found.rated],
        diagrams=list(zip(maps, charts, strict=True)), signals=SIGNAL_TITLES, edges=EDGE_TITLES,
        rubric=next((found.rubric for found in comparisons if found.rubric), None),
        offline_note=OFFLINE_NOTE if offline else None, inattention=inattention,
    )  # fmt: skip


def _not_compared(comparisons: Sequence[JudgeComparison]) -> dict[str, str | None]:
    """The virtues of which no judge was compared with people, and why."""
    compared = {found.virtue for found in comparisons if found.trials}
    return {found.virtue: found.measures["mae"].why for found in comparisons if found.virtue not in compared}


def _agree(comparisons: Sequence[JudgeComparison]) -> dict[tuple[str, str], str | None]:
    """Whether the scores agree with people's, if people agree at all, in words, by virtue and judge."""
    found = against_people(row for comparison in comparisons for row in comparison.rows())
    return {(each.virtue, each.judge): "raters do not agree" if each.raters_differ else each.agree for each in found}
