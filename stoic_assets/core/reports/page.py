"""The report page: one HTML document that needs nothing else.

The policy in the head forbids every request, and every script except the page's own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from jinja2 import BytecodeCache
from markupsafe import Markup

from stoic_assets.core.assertions.wording import has_name
from stoic_assets.core.comparison.comparison_text import detectable, interval, verdict_word
from stoic_assets.core.comparison.version_verdict import version_verdict
from stoic_assets.core.evaluation.next_command import way_to_repeat
from stoic_assets.core.evolution.fitness import deliverable
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE, weak_above
from stoic_assets.core.presentation.drawing import PAGE_INK
from stoic_assets.core.presentation.formatting import beside, bounded, lasted, listed, short_of
from stoic_assets.core.presentation.page_environment import PageEnvironment
from stoic_assets.core.reports.data import ReportData, latest
from stoic_assets.core.reports.failed_tasks import failed_by, failed_tasks, tasks_too_low
from stoic_assets.core.reports.forest_chart import forest_chart_svg
from stoic_assets.core.reports.job_changes import deltas_of, job_changes, most_changed
from stoic_assets.core.reports.job_table import by_job, failed_assertions, job_rows
from stoic_assets.core.reports.model_calls import costliest_jobs, model_calls
from stoic_assets.core.reports.reliability import reliability
from stoic_assets.core.reports.reply_times import replies, reply_times, response_time_chart_svg
from stoic_assets.core.reports.side_by_side import side_by_side
from stoic_assets.core.reports.summary import faults, measures, summary
from stoic_assets.core.reports.trend_chart import release_means, releases, trend_chart_svg
from stoic_assets.core.reports.trial_view import TrialView, trial_views
from stoic_assets.core.reports.unscored import why_unscored
from stoic_assets.core.reports.version_comparison import differences
from stoic_assets.core.reports.virtue_charts import KEY, virtue_chart_svg, virtue_radar_svg
from stoic_assets.core.reports.virtue_intervals import virtue_intervals
from stoic_assets.core.reports.weak_virtues import none_weak, weak_virtues
from stoic_assets.core.rounding import half_even
from stoic_assets.core.table_rows import Row, Rows
from stoic_assets.core.virtues import VIRTUES


class _RowEnvironment(PageEnvironment):
    """Reads a row's column by name, null where the row has no such column; a dictionary's methods are out of reach."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        return obj.get(attribute) if isinstance(obj, dict) else super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        return obj.get(argument) if isinstance(obj, dict) else super().getitem(obj, argument)


@cache
def _environment(compiled: BytecodeCache | None) -> PageEnvironment:
    environment = _RowEnvironment("core/reports/templates", compiled=compiled)
    environment.filters |= {
        "lasted": lasted, "short_of": short_of, "half_even": half_even, "beside": beside, "bounded": bounded,
        "verdict_word": verdict_word, "interval": interval, "detectable": detectable,
        "tasks_too_low": tasks_too_low, "listed": listed, "by_job": by_job,
    }
    environment.globals["way_to_repeat"] = way_to_repeat
    environment.tests |= {"deliverable": deliverable, "named": has_name}
    return environment


def report_parts(data: ReportData, compiled: BytecodeCache | None = None) -> Iterator[str]:
    """The report as one HTML document, to be written as UTF-8: in many small parts, since it can be large.

    `compiled` keeps the compiled templates between processes.
    """
    trials, found = trial_views(data, data.jobs), measures(data.composite_scores, data.trials)
    counts, virtues = summary(data, trials), _in_order(data.evaluation_virtues)
    if not counts.conclusive:
        data = replace(data, base=None, version_comparisons=())
    return _environment(compiled).get_template("report.html.jinja").generate(
        data=data, offline_note=OFFLINE_NOTE, measures=found, failures=failed_assertions(trials),
        low_tasks=failed_tasks(trials, data.task_at_least), failed_by=failed_by(trials, data.task_at_least),
        jobs=job_rows(trials, totals=found[0].trials > 0),
        trials=trials, virtues=virtues, trends=_in_order(data.virtue_trends),
        releases=release_means(data.virtue_trends), virtue_names=VIRTUES, virtue_key=KEY,
        why_unscored=why_unscored(data.evaluation_virtues, trials),
        weak=weak_virtues(data.weak_virtues, trials), none_weak=none_weak(data.evaluation_virtues, data.weak_below),
        weak_above=weak_above(virtues),
        intervals=virtue_intervals(data.composite_scores, data.trial_virtues, data.weak_below),
        held={**data.evaluation, "ended_at": latest(data.trials, "ended_at")},
        judged_at=latest((*data.virtue_scores, *data.task_scores), "evaluated_at"),
        calls=model_calls(data.llm_calls), costliest=costliest_jobs(data.llm_calls, data.trials),
        reliability=reliability(data.job_reliability), summary=counts, faults=faults(trials),
        **_compared(data, trials),
        charts={name: Markup(chart) for name, chart in _charts(data).items()},  # noqa: S704 - all our own
    )


def _compared(data: ReportData, trials: Sequence[TrialView]) -> dict[str, Any]:
    """What was found against the base, and what changed since it."""
    plain = differences(data)
    before = trial_views(data.base) if data.base else []
    changes = job_changes(before, trials, plain.flips if plain else ())
    most, others = most_changed(changes, deltas_of(data.version_comparisons))
    pairs = side_by_side(changes, most)
    return {
        "verdict": version_verdict(data.version_comparisons, plain.alike if plain else ()),
        "differences": plain,
        "most_changed": most,
        "more_changed": others,
        "pairs": pairs,
        "unshown_pairs": sum(change.flipped for change in changes) - sum(pair.change.flipped for pair in pairs),
        "pair_anchors": {(pair.change.job, pair.change.condition): pair.anchor for pair in pairs},
        "replies": reply_times(data.turns),
        "base_replies": reply_times(data.base.turns) if data.base else None,
    }


def _in_order(rows: Rows) -> list[Row]:
    """Rows that name a virtue, in the order of `VIRTUES`."""
    return sorted(rows, key=lambda row: VIRTUES.index(row["virtue"]))


def _charts(data: ReportData) -> dict[str, str]:
    """SVG elements by name: `virtues`, `radar`, `trends`, `times`, `forest`."""
    weak = {row["virtue"] for row in data.weak_virtues}
    base = data.base.evaluation_virtues if data.base else ()
    times, gating = replies(data.turns), [row for row in data.version_comparisons if row["gating"]]
    drawn = {"virtues": virtue_chart_svg(data.evaluation_virtues, weak, base, PAGE_INK, data.weak_below)}
    if data.evaluation_virtues:
        drawn["radar"] = virtue_radar_svg(data.evaluation_virtues, base, _compared_versions(data))
    if len(releases(data.virtue_trends)) > 1:
        drawn["trends"] = trend_chart_svg(data.virtue_trends, data.evaluation["agent_version"])
    if times:
        drawn["times"] = response_time_chart_svg(times)
    if gating:
        drawn["forest"] = forest_chart_svg(gating)
    return drawn


def _compared_versions(data: ReportData) -> tuple[str, str]:
    base = data.base.evaluation["agent_version"] if data.base else ""
    return data.evaluation["agent_version"], base
