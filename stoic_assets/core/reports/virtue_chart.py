"""The chart of the five virtues: a bar for the score, a diamond for the confidence in it, a line for the base."""

from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from stoic_assets.core.judging.virtues import VIRTUES
from stoic_assets.core.presentation.drawing import INK, INK_MARK, STRONG, WEAK, Margins, axes, label, svg
from stoic_assets.core.presentation.formatting import short_of, words
from stoic_assets.core.reports.data import values
from stoic_assets.core.table_rows import Row, Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes


KEY = "Bar: score, orange and hatched where weak. Diamond: confidence."
"""What a reader must know of the chart; the line of a base is named where there is one."""


class Bar(NamedTuple):
    """What is drawn for one virtue, each value 0–1 or None; `was` is the score of the base."""

    score: float | None
    confidence: float | None
    was: float | None
    weak: bool


def virtue_chart_svg(
    virtues: Rows, weak: Collection[str] = (), base: Rows = (), ink: str = INK, below: float = 0.7
) -> str:
    """Rows of `evaluation_virtues` as an `<svg>` element; weak ones stand out, `base` are rows of another version.

    `below` is the score, 0–1, below which a virtue is weak.
    """
    rows, before = ({row["virtue"]: row for row in found} for found in (virtues, base))
    bars = (
        Bar(
            _found(rows.get(virtue), "score"), _found(rows.get(virtue), "confidence"),
            _found(before.get(virtue), "score"), virtue in weak,
        )
        for virtue in VIRTUES
    )  # fmt: skip
    return _drawn(tuple(bars), below).replace(INK_MARK, ink)


def _found(row: Row | None, column: str) -> float | None:
    return next(iter(values([row or {}], column)), None)


@lru_cache(maxsize=1)  # used in the report of weak virtues and, in another ink, in the page
def _drawn(bars: tuple[Bar, ...], below: float) -> str:
    figure, plot = axes(4.2, 2.4, Margins(1.15, 0.05, 0.25, 0.05))
    for place, bar in enumerate(reversed(bars)):
        _draw(plot, place, bar, below)
    plot.set_yticks(range(len(VIRTUES)), [label(words(virtue)) for virtue in reversed(VIRTUES)])
    plot.set_xlim(0, 1.2)
    plot.set_ylim(-0.6, len(bars) - 0.4)
    plot.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    plot.grid(axis="x", color=INK_MARK, alpha=0.15, linewidth=0.7)
    return svg(figure, "virtues", INK_MARK)


def _draw(plot: "Axes", place: int, bar: Bar, below: float) -> None:
    if bar.score is None:
        plot.text(0.02, place, "not scored", va="center", fontsize=9, color=INK_MARK)
    else:
        # The hatching tells weak bars from others without their colour.
        fill, hatch = (WEAK, "///") if bar.weak else (STRONG, None)
        plot.barh(place, bar.score, height=0.56, color=fill, hatch=hatch, edgecolor="white", linewidth=0)
        plot.text(1.21, place, short_of(bar.score, below), va="center", ha="right", fontsize=9, color=INK_MARK)
    if bar.confidence is not None:
        plot.plot(bar.confidence, place, marker="D", markersize=5.5, color="white", markeredgecolor=INK_MARK)
    if bar.was is not None:
        line = [place - 0.42, place + 0.42]
        plot.plot([bar.was, bar.was], line, color=INK_MARK, linewidth=1.6, linestyle=(0, (2, 1)))
