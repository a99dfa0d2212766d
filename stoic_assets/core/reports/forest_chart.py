"""The chart of what changed: each gating measure's difference, its 95 % interval, and the band of irrelevance (±δ)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stoic_assets.core.comparison.family import measured
from stoic_assets.core.presentation.drawing import INK_MARK, PALETTE, STRONG, Margins, axes, label, svg
from stoic_assets.core.presentation.formatting import difference, is_missing, words
from stoic_assets.core.reports.data import values
from stoic_assets.core.rounding import ROUNDING
from stoic_assets.core.table_rows import Row, Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKS: Mapping[str, tuple[str, str]] = {
    "regressed": (PALETTE[4], "v"), "improved": (PALETTE[2], "^"), "unchanged": (STRONG, "s"),
    "inconclusive": (PALETTE[1], "o"),
}
"""Colour and shape of each verdict: a reader need not rely on one of them alone."""
LINE = 3.0
"""Points; an interval's line."""
TICKS = 6


def forest_chart_svg(rows: Rows) -> str:
    """Rows of `version_comparisons` as an `<svg>` element, in their order from top to bottom."""
    figure, plot = axes(4.8, 0.9 + 0.29 * len(rows), Margins(1.2, 0.15, 0.55, 0.05))
    plot.set_xlim(*_reach(rows))
    for place, row in enumerate(reversed(rows)):
        _measure(plot, place, row)
    plot.axvline(0, color=INK_MARK, linewidth=1)
    plot.set_yticks(range(len(rows)), [label(words(row["measure"])) for row in reversed(rows)])
    plot.set_ylim(-0.6, len(rows) - 0.4)
    plot.locator_params(axis="x", nbins=TICKS)
    plot.xaxis.set_major_formatter(lambda value, _: "0" if abs(value) < ROUNDING else difference(value))
    plot.grid(axis="x", color=INK_MARK, alpha=0.15, linewidth=0.7)
    _legend(figure, measured(rows))
    return svg(figure, "differences")


def _measure(plot: "Axes", place: int, row: Row) -> None:
    plot.barh(place, 2 * row["delta"], left=-row["delta"], height=0.8, color=INK_MARK, alpha=0.12)
    ends = values([row], "low") + values([row], "high")
    if len(ends) == 2:
        plot.plot(ends, [place, place], color=MARKS[row["verdict"]][0], linewidth=LINE, solid_capstyle="butt")
    if is_missing(row["difference"]):
        _unmeasured(plot, place)
    else:
        plot.plot(row["difference"], place, **_mark(row["verdict"], [row]))


def _unmeasured(plot: "Axes", place: int) -> None:
    """Writes it next to zero, on the side where there is room."""
    room_on_the_right = sum(plot.get_xlim()) >= 0
    plot.annotate(
        "not measured", (0, place), (4 if room_on_the_right else -4, 0), textcoords="offset points",
        ha="left" if room_on_the_right else "right", va="center", fontsize=9, color=INK_MARK,
    )


def _mark(verdict: str, rows: Rows) -> dict[str, Any]:
    """How the estimates of a verdict are drawn: hollow where none of them was tested."""
    colour, shape = MARKS[verdict]
    inside = colour if values(rows, "p") else "none"
    return {"marker": shape, "markersize": 7.5, "markerfacecolor": inside, "markeredgecolor": INK_MARK}


def _legend(figure: "Figure", rows: Rows) -> None:
    """The verdicts that occur, each as it is drawn: without a line where none has an interval."""
    from matplotlib.lines import Line2D

    handles = []
    for verdict, (colour, _) in MARKS.items():
        if found := [row for row in rows if row["verdict"] == verdict]:
            line = LINE if values(found, "low") else 0
            handles.append(Line2D([], [], color=colour, linewidth=line, label=verdict, **_mark(verdict, found)))
    figure.legend(
        handles=handles, loc="lower center", ncols=4, columnspacing=1.2, fontsize=9, frameon=False,
        labelcolor=INK_MARK,
    )


def _reach(rows: Rows) -> tuple[float, float]:
    """The range of the axis: it shows zero, every band and every interval."""
    shown = [number for name in ("difference", "low", "high", "delta") for number in values(rows, name)]
    low = min(*(-row["delta"] for row in rows), *shown)
    margin = 0.04 * (max(shown) - low)
    return low - margin, max(shown) + margin
