"""The chart of what changed: each gating measure's difference, its 95 % interval, and the band of no consequence."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from stoic_assets.core.presentation.drawing import INK, INK_MARK, PALETTE, STRONG, Margins, axes, label, svg
from stoic_assets.core.presentation.formatting import difference, words
from stoic_assets.core.reports.data import Row, values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKS: Mapping[str, tuple[str, str]] = {
    "regressed": (PALETTE[4], "v"), "improved": (PALETTE[2], "^"), "unchanged": (STRONG, "s"),
    "inconclusive": (PALETTE[1], "o"),
}
"""Colour and shape of each verdict: neither alone has to be told apart."""
TICKS = 6


def forest_chart_svg(rows: Sequence[Row], ink: str = INK) -> str:
    """Rows of `version_comparisons` as an `<svg>` element, in their order from above."""
    figure, plot = axes(4.8, 0.9 + 0.29 * len(rows), Margins(1.2, 0.15, 0.55, 0.05))
    for place, row in enumerate(reversed(rows)):
        _measure(plot, place, row)
    plot.axvline(0, color=INK_MARK, linewidth=1)
    plot.set_yticks(range(len(rows)), [label(words(row["measure"])) for row in reversed(rows)])
    plot.set_ylim(-0.6, len(rows) - 0.4)
    plot.set_xlim(*_reach(rows))
    plot.locator_params(axis="x", nbins=TICKS)
    plot.xaxis.set_major_formatter(lambda value, _: "0" if abs(value) < 1e-9 else difference(value))
    plot.grid(axis="x", color=INK_MARK, alpha=0.15, linewidth=0.7)
    _legend(figure, {row["verdict"] for row in rows})
    return svg(figure, "differences", ink)


def _measure(plot: "Axes", place: int, row: Row) -> None:
    colour, shape = MARKS[row["verdict"]]
    plot.barh(place, 2 * row["delta"], left=-row["delta"], height=0.8, color=INK_MARK, alpha=0.12)
    ends = values([row], "low") + values([row], "high")
    if len(ends) == 2:
        plot.plot(ends, [place, place], color=colour, linewidth=3, solid_capstyle="butt")
    found = values([row], "difference")
    for estimate in found:  # hollow where nothing was tested
        inside = colour if values([row], "p") else "none"
        plot.plot(estimate, place, marker=shape, markersize=7.5, markerfacecolor=inside, markeredgecolor=INK_MARK)
    if not found:
        plot.text(0.01, place, "not measured", va="center", fontsize=9, color=INK_MARK)


def _legend(figure: "Figure", verdicts: Collection[str]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, marker=shape, linewidth=3, markersize=7.5, markeredgecolor=INK_MARK, label=verdict)
        for verdict, (colour, shape) in MARKS.items() if verdict in verdicts
    ]
    figure.legend(
        handles=handles, loc="lower center", ncols=4, columnspacing=1.2, fontsize=9, frameon=False,
        labelcolor=INK_MARK,
    )


def _reach(rows: Sequence[Row]) -> tuple[float, float]:
    """What the axis must show: zero, every band and every interval."""
    shown = [number for name in ("difference", "low", "high", "delta") for number in values(rows, name)]
    low = min(*(-row["delta"] for row in rows), *shown)
    margin = 0.04 * (max(shown) - low)
    return low - margin, max(shown) + margin
