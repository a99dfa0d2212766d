"""How long the agent's replies took, in figures and as a chart."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from stoic_assets.core.presentation.drawing import INK_MARK, STRONG, Margins, axes, svg
from stoic_assets.core.presentation.formatting import milliseconds
from stoic_assets.core.reports.data import values
from stoic_assets.core.table_rows import Rows

SHARES = (0.5, 0.9, 0.99, 1.0)


@dataclass(frozen=True)
class ReplyTimes:
    """Mean and quantiles of `count` reply times in milliseconds; `within` maps a share of replies, 0–1, to a time."""

    count: int
    mean: float
    within: Mapping[float, float]


def replies(turns: Rows) -> list[float]:
    """Milliseconds of every reply, retries included."""
    return values((row for row in turns if row["speaker"] == "agent"), "response_ms")


def quantile(times: Sequence[float], share: float) -> float:
    """The smallest time that at least `share`, 0–1, of the times do not exceed."""
    return sorted(times)[max(0, math.ceil(len(times) * share) - 1)]


def reply_times(turns: Rows) -> ReplyTimes | None:
    """The figures of rows of `turns`; None where the agent never replied."""
    times = replies(turns)
    if not times:
        return None
    return ReplyTimes(len(times), fmean(times), {share: quantile(times, share) for share in SHARES})


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
