"""The chart of virtues over releases."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from stoic_assets.core.presentation.drawing import INK_MARK, PALETTE, axes, columns, label, svg
from stoic_assets.core.presentation.formatting import words
from stoic_assets.core.table_rows import Rows
from stoic_assets.core.virtues import VIRTUES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOM = 46
"""Characters that fit side by side below the axis."""
SHORT = 10
"""Characters of a name that may extend beyond an end of the axis by its half; the room is that of the lines."""
MARKERS = "osD^v"
Side = Literal["left", "center", "right"]
BEFORE: Mapping[Side, float] = {"left": 0.0, "center": 0.5, "right": 1.0}
"""The share of a label that stands before its place, by the side that is there."""


def releases(trends: Rows) -> list[str]:
    """The versions in rows of `virtue_trends`, oldest first."""
    return list(dict.fromkeys(row["agent_version"] for row in sorted(trends, key=lambda row: row["place"])))


def versions_before(agent_version: str, trends: Rows) -> list[str]:
    """The versions in rows of `virtue_trends` before this one, the newest first; all where it is not among them."""
    versions = releases(trends)
    return versions[: versions.index(agent_version) if agent_version in versions else None][::-1]


class ReleaseMeans(NamedTuple):
    """One release; `means` are 0–1, in the order of `VIRTUES`, None where a virtue was not scored."""

    version: str
    means: tuple[float | None, ...]


def release_means(trends: Rows) -> list[ReleaseMeans]:
    """The numbers of the chart, from rows of `virtue_trends`, the oldest release first."""
    found = {(row["agent_version"], row["virtue"]): row["mean"] for row in trends}
    return [
        ReleaseMeans(version, tuple(found.get((version, virtue)) for virtue in VIRTUES)) for version in releases(trends)
    ]


def trend_chart_svg(trends: Rows, agent_version: str | None = None) -> str:
    """Rows of `virtue_trends` of two or more releases as an `<svg>` element: one line for each virtue.

    Where later releases follow `agent_version`, that of the report, it is marked.
    """
    figure, plot = axes(4.2, 2.9)
    order = {version: place for place, version in enumerate(releases(trends))}
    for virtue, colour, marker in zip(VIRTUES, PALETTE, MARKERS, strict=True):
        points = sorted((order[row["agent_version"]], row["mean"]) for row in trends if row["virtue"] == virtue)
        if points:
            plot.plot(*zip(*points, strict=True), color=colour, marker=marker, markersize=5, label=label(words(virtue)))
    names = [label(version.split("@")[-1]) for version in order]
    _name_releases(plot, names)
    if agent_version in [*order][:-1]:
        _mark(plot, order[agent_version], names)
    plot.set_xlim(-0.02 * (len(order) - 1), 1.02 * (len(order) - 1))
    plot.set_ylim(-0.02, 1.02)
    plot.grid(axis="y", color=INK_MARK, alpha=0.15, linewidth=0.7)
    figure.legend(
        loc="outside lower center", ncols=3, columnspacing=1.2, fontsize=9, frameon=False, labelcolor=INK_MARK
    )
    return svg(figure, "trends")


def _name_releases(plot: "Axes", names: Sequence[str]) -> None:
    """The first, the last, and of those between as many as fit, at equal steps or nearly so."""
    last = len(names) - 1
    centred = max(columns(names[0]), columns(names[last])) <= SHORT
    for steps in range(last, 0, -1):
        shown = [step * last // steps for step in range(steps + 1)]
        sides = [_side(place == 0 and not centred, place == last and not centred) for place in shown]
        if _fit(names, shown, sides):
            break
    plot.set_xticks(shown, [names[place] for place in shown])
    for tick, side in zip(plot.get_xticklabels(), sides, strict=True):
        tick.set_horizontalalignment(side)


def _side(at_start: bool, at_end: bool) -> Side:
    """Which side of a label stands at its place, so that it is not cut at an end of the axis."""
    return "left" if at_start else "right" if at_end else "center"


def _fit(names: Sequence[str], shown: Sequence[int], sides: Sequence[Side]) -> bool:
    """Whether these names stand apart; a centred one extends beyond an end of the axis by its half."""
    room = ROOM - (SHORT if sides[0] == "center" else 0)
    starts = [
        (place * room / (len(names) - 1) - BEFORE[side] * columns(names[place]), columns(names[place]))
        for place, side in zip(shown, sides, strict=True)
    ]
    return all(start + length < after for (start, length), (after, _) in pairwise(starts))


def _mark(plot: "Axes", place: int, names: Sequence[str]) -> None:
    """A line at a release, with its name above."""
    plot.axvline(place, color=INK_MARK, linewidth=0.9, linestyle=":")
    side = _side(3 * place < len(names), 3 * place >= 2 * len(names))
    plot.annotate(
        names[place], (place, 1), (0, 2), xycoords=("data", "axes fraction"), textcoords="offset points", ha=side,
        va="bottom", fontsize=9, color=INK_MARK,
    )  # fmt: skip
