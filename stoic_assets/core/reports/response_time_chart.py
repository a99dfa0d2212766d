"""The chart of how long the agent's replies took."""

from collections.abc import Sequence

from stoic_assets.core.presentation.drawing import INK_MARK, STRONG, Margins, axes, svg
from stoic_assets.core.presentation.formatting import milliseconds
from stoic_assets.core.reports.reply_times import quantile

BARS = 24
TICKS = 5


def response_time_chart_svg(times: Sequence[float]) -> str:
    """Milliseconds of every reply as an `<svg>` element; the slowest 1 % are counted in the last bar."""
    figure, plot = axes(4.2, 2.2, Margins(0.6, 0.3, 0.25, 0.05))
    most = max(quantile(times, 0.99), 1.0)
    plot.hist([min(time, most) for time in times], bins=BARS, range=(0, most), color=STRONG, rwidth=0.9)
    plot.locator_params(axis="x", nbins=TICKS)
    plot.locator_params(axis="y", nbins=TICKS, integer=True)
    plot.xaxis.set_major_formatter(lambda time, _: milliseconds(time))
    plot.set_ylabel("replies", fontsize=9, color=INK_MARK)
    plot.grid(axis="y", color=INK_MARK, alpha=0.15, linewidth=0.7)
    return svg(figure, "response-times")
