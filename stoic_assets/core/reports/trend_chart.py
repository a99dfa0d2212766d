"""The chart of virtues over releases."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from stoic_assets.core.presentation.drawing import INK_MARK, PALETTE, axes, label, svg
from stoic_assets.core.presentation.formatting import words
from stoic_assets.core.table_rows import Rows
from stoic_assets.core.virtues import VIRTUES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOM = 46
"""Characters that fit side by side below the axis."""
MARKERS = "osD^v"


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


def trend_chart_svg(trends: Rows) -> str:
    """Rows of `virtue_trends` as an `<svg>` element: one line for each virtue."""
    figure, plot = axes(4.2, 2.9)
    order = {version: place for place, version in enumerate(releases(trends))}
    for virtue, colour, marker in zip(VIRTUES, PALETTE, MARKERS, strict=True):
        points = sorted((order[row["agent_version"]], row["mean"]) for row in trends if row["virtue"] == virtue)
        if points:
            plot.plot(*zip(*points, strict=True), color=colour, marker=marker, markersize=5, label=label(words(virtue)))
    _name_releases(plot, [label(version.split("@")[-1]) for version in order])
    plot.set_xlim(-0.2, len(order) - 0.8)
    plot.set_ylim(-0.02, 1.02)
    plot.grid(axis="y", color=INK_MARK, alpha=0.15, linewidth=0.7)
    figure.legend(
        loc="outside lower center", ncols=3, columnspacing=1.2, fontsize=9, frameon=False, labelcolor=INK_MARK
    )
    return svg(figure, "trends")


def _name_releases(plot: "Axes", names: Sequence[str]) -> None:
    """As many as fit, at equal steps back from the newest; half a name extends beyond either end of the axis."""
    longest = max(map(len, names))
    fitting = max(1, (ROOM - longest) // (longest + 1))
    shown = range(len(names) - 1, -1, -math.ceil(len(names) / fitting))[::-1]
    plot.set_xticks(shown, [names[place] for place in shown])
    if len(shown) == 1:  # a long name; centred, half of it would take space from the lines
        plot.get_xticklabels()[0].set_horizontalalignment("right")
