"""The chart of the five virtues: a bar for the score, a diamond for the confidence in it, a line for the base."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from stoic_assets.core.judging.virtues import VIRTUES
from stoic_assets.core.reports.data import Row, values
from stoic_assets.core.reports.drawing import INK, INK_MARK, STRONG, WEAK, axes, label, svg
from stoic_assets.core.reports.formatting import is_missing, score, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def virtue_chart_svg(
    virtues: Sequence[Row], weak: Collection[str] = (), base: Sequence[Row] = (), ink: str = INK
) -> str:
    """Rows of `evaluation_virtues` as an `<svg>` element; weak ones stand out, `base` are rows of another version."""
    figure, plot = axes(4.2, 2.4)
    rows = {row["virtue"]: row for row in virtues}
    before = {row["virtue"]: row for row in base}
    for place, virtue in enumerate(reversed(VIRTUES)):
        _bar(plot, place, rows.get(virtue, {}), WEAK if virtue in weak else STRONG)
        for was in values([before.get(virtue, {})], "score"):
            plot.plot([was, was], [place - 0.42, place + 0.42], color=INK_MARK, linewidth=1.6, linestyle=(0, (2, 1)))
    plot.set_yticks(range(len(VIRTUES)), [label(words(virtue)) for virtue in reversed(VIRTUES)])
    plot.set_xlim(0, 1.12)
    plot.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    plot.grid(axis="x", color=INK_MARK, alpha=0.15, linewidth=0.7)
    return svg(figure, "virtues", ink)


def _bar(plot: "Axes", place: int, row: Row, colour: str) -> None:
    for reached in values([row], "score"):
        plot.barh(place, reached, height=0.56, color=colour)
        plot.text(1.02, place, score(reached), va="center", fontsize=9, color=INK_MARK)
    for confidence in values([row], "confidence"):
        plot.plot(confidence, place, marker="D", markersize=5.5, color="white", markeredgecolor=INK_MARK)
    if is_missing(row.get("score")):
        plot.text(0.02, place, "not scored", va="center", fontsize=9, color=INK_MARK)
