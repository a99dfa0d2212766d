"""Which charts a report has: those for which there are data."""

from stoic_assets.core.presentation.drawing import PAGE_INK
from stoic_assets.core.reports.data import ReportData
from stoic_assets.core.reports.forest_chart import forest_chart_svg
from stoic_assets.core.reports.reply_times import replies
from stoic_assets.core.reports.response_time_chart import response_time_chart_svg
from stoic_assets.core.reports.trend_chart import releases, trend_chart_svg
from stoic_assets.core.reports.virtue_chart import virtue_chart_svg
from stoic_assets.core.reports.virtue_radar import virtue_radar_svg


def charts(data: ReportData) -> dict[str, str]:
    """SVG elements by name: `virtues`, `radar`, `trends`, `times`, `forest`."""
    weak = {row["virtue"] for row in data.weak_virtues}
    base = data.base.evaluation_virtues if data.base else ()
    times, gating = replies(data.turns), [row for row in data.version_comparisons if row["gating"]]
    drawn = {"virtues": virtue_chart_svg(data.evaluation_virtues, weak, base, PAGE_INK, data.weak_below)}
    if data.evaluation_virtues:
        drawn["radar"] = virtue_radar_svg(data.evaluation_virtues, base, _names(data))
    if len(releases(data.virtue_trends)) > 1:
        drawn["trends"] = trend_chart_svg(data.virtue_trends)
    if times:
        drawn["times"] = response_time_chart_svg(times)
    if gating:
        drawn["forest"] = forest_chart_svg(gating)
    return drawn


def _names(data: ReportData) -> tuple[str, str]:
    base = data.base.evaluation["agent_version"] if data.base else ""
    return data.evaluation["agent_version"], base
