"""The report of a rating study: one HTML document that needs nothing else."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from stoic_assets.core.ratings.analysis import RatingAnalysis
from stoic_assets.core.ratings.inattention import inattention
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.rating_table import Floats
from stoic_assets.core.ratings.reliability.gate import ACCEPT, FEWEST_RATERS, REVIEW
from stoic_assets.core.ratings.report.charts import (
    Distribution,
    distribution_chart_svg,
    distributions,
    forest_chart_svg,
    kappa_heat_map_svg,
    kappas_of_pairs,
    leniency_chart_svg,
    rater_kappas,
)
from stoic_assets.core.ratings.report.document import render_document
from stoic_assets.core.ratings.report.item_findings import best_and_worst, disagreements, item_findings, item_marks
from stoic_assets.core.ratings.rubric import DIMENSIONS

MOST_EXTREMES = 10
MOST_DISAGREEMENTS = 20
MOST_PAIRS = 30


def render_analysis(analysis: RatingAnalysis) -> str:
    """The report as one HTML document, to be written as UTF-8."""
    table, findings = analysis.table, item_findings(analysis.table)
    best, worst = best_and_worst(findings, MOST_EXTREMES)
    queue = disagreements(findings)
    *marks, answers = distributions(table)
    kappas = rater_kappas(table)
    pairs = kappas_of_pairs(kappas, table.raters)
    return render_document(
        "analysis.html.jinja", analysis=analysis, origin_of=_origin, table=table, rubric=DIMENSIONS,
        accept=ACCEPT, review=REVIEW, fewest_raters=FEWEST_RATERS,
        inattention=inattention(analysis.checks.flags, len(table.raters)),
        distributions=marks, answers=answers, best=best, worst=worst, split=len(queue),
        queue=[(found, item_marks(found.test_id, analysis)) for found in queue[:MOST_DISAGREEMENTS]],
        pairs=pairs[:MOST_PAIRS], pairs_left_out=len(pairs[MOST_PAIRS:]), **_charts(analysis, marks, kappas),
    )


def _origin(item: RatedItem) -> str:
    """The version and scenario of a reply, as far as they are known."""
    return ", ".join(name for name in (item.agent_version, item.scenario) if name)


def _charts(
    analysis: RatingAnalysis, marks: Sequence[Distribution], kappas: Floats
) -> Mapping[str, Markup | None]:
    """The charts for which there are data. The markup is safe: matplotlib escapes the labels."""
    table = analysis.table
    several = len(table.raters) > 1
    return {
        "forest_chart": Markup(forest_chart_svg(analysis.dimensions)),  # noqa: S704
        "distribution_chart": Markup(distribution_chart_svg(marks)) if table.ratings else None,  # noqa: S704
        "heat_map": Markup(kappa_heat_map_svg(kappas, table.raters)) if several else None,  # noqa: S704
        "leniency_chart": Markup(leniency_chart_svg(analysis.leniency)) if several else None,  # noqa: S704
    }
