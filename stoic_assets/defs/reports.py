"""Reports for people: the weak virtues, and the whole evaluation as one HTML file."""

import dagster as dg

from stoic_assets.adapters.evaluation.report import write_report, write_weak_virtues
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.presentation.markdown import picture
from stoic_assets.core.reports.virtue_charts import KEY, virtue_chart_svg
from stoic_assets.core.reports.weak_virtues import title
from stoic_assets.core.table_rows import Rows
from stoic_assets.defs.asset_metadata import OWNERS, numbers, page
from stoic_assets.defs.evaluation_run import current_evaluation
from stoic_assets.defs.failures import reported
from stoic_assets.defs.partitions import agent_versions


@dg.asset(
    group_name="reports",
    kinds={"markdown"},
    owners=OWNERS,
    partitions_def=agent_versions,
    deps=["evaluations", "composite_scores", "weak_virtues", "evaluation_virtues", "virtue_scores"],
)
def weak_virtue_reports(
    context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]
) -> dg.MaterializeResult:
    """The virtues that the next version should improve, with the judges' suggestions."""
    with reported(workplace):
        manifest = current_evaluation(context, workplace)
        found = write_weak_virtues(workplace, manifest)
    below = workplace.settings.weakness.score_below
    chart = virtue_chart_svg(found.virtues, {row["virtue"] for row in found.weak}, below=below)
    head = f"{title(*manifest.key)}\n\n{picture('the five virtues', chart)}"
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(found.weak),
            "offline": found.offline,
            **numbers({"worst_severity": _worst_severity(found.virtues, found.weak)}),
            "report": dg.MetadataValue.md(f"{head}\n\n{KEY}\n\n{found.text}"),
            "path": dg.MetadataValue.path(found.path),
        }
    )


def _worst_severity(virtues: Rows, weak: Rows) -> float | None:
    """The largest severity, 0–1: that of a virtue that is not weak is 0. None if no virtue was scored."""
    severities = {row["virtue"]: row["severity"] for row in weak}
    return max((severities.get(row["virtue"], 0.0) for row in virtues if row["score"] is not None), default=None)


@dg.asset(
    group_name="reports",
    kinds={"html"},
    owners=OWNERS,
    partitions_def=agent_versions,
    deps=[
        "evaluations",
        "composite_scores",
        "evaluation_virtues",
        "weak_virtues",
        "virtue_trends",
        "job_reliability",
        "version_comparisons",
        "fitness_updates",
        "task_scores",
        "assertion_results",
        "transcripts",
    ],
)
def evaluation_reports(
    context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]
) -> dg.MaterializeResult:
    """A self-contained HTML file with every transcript, score and piece of evidence."""
    with reported(workplace):
        path = write_report(workplace, current_evaluation(context, workplace))
    return dg.MaterializeResult(
        metadata={
            **page(path),
            "bytes": path.stat().st_size,
        }
    )
