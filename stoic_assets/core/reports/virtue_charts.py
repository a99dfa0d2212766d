"""The charts of the five virtues: bars with confidence and base, and a radar of this version over its base."""

from collections.abc import Collection
from functools import lru_cache
from math import tau
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from stoic_assets.core.presentation.drawing import INK, INK_MARK, STRONG, WEAK, Margins, axes, label, svg
from stoic_assets.core.presentation.formatting import is_missing, short_of, words
from stoic_assets.core.table_rows import Row, Rows
from stoic_assets.core.virtues import VIRTUES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.projections.polar import PolarAxes

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
            _found(rows.get(virtue, {}), "score"), _found(rows.get(virtue, {}), "confidence"),
            _found(before.get(virtue, {}), "score"), virtue in weak,
        )
        for virtue in VIRTUES
    )  # fmt: skip
    return _drawn(tuple(bars), below).replace(INK_MARK, ink)


def _found(row: Row, column: str) -> float | None:
    return None if is_missing(value := row.get(column)) else value


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


SIDES: tuple[Literal["left", "center", "right"], ...] = ("center", "left", "left", "right", "right")
"""The alignment of the labels with the ends of their spokes, clockwise from the top."""
RINGS = (0.25, 0.5, 0.75, 1.0)


def virtue_radar_svg(virtues: Rows, base: Rows = (), names: tuple[str, str] = ("this version", "base")) -> str:
    """Rows of `evaluation_virtues` as an `<svg>` element; a virtue without a score leaves a gap.

    `names` are those of this version and of the base; the base may have no rows.
    """
    figure, plain = axes(4.2, 3.4, Margins(0.7, 0.7, 0.45, 0.25), "polar")
    plot = cast("PolarAxes", plain)
    _web(plot)
    if base:
        _shape(plot, base, INK_MARK, names[1], filled=False)
    _shape(plot, virtues, STRONG, names[0], filled=True)
    figure.legend(loc="lower center", ncols=2, fontsize=9, frameon=False, labelcolor=INK_MARK)
    return svg(figure, "radar")


def _angles() -> list[float]:
    return [tau * place / len(VIRTUES) for place in range(len(VIRTUES))]


def _web(plot: "PolarAxes") -> None:
    plot.set_theta_zero_location("N")
    plot.set_theta_direction(-1)
    plot.set_ylim(0, 1)
    plot.set_yticks(RINGS, [""] * len(RINGS))
    plot.set_xticks(_angles(), [words(virtue).replace(" ", "\n") for virtue in VIRTUES])
    for text, side in zip(plot.get_xticklabels(), SIDES, strict=True):
        text.set_horizontalalignment(side)
    plot.tick_params(pad=5)
    plot.grid(color=INK_MARK, alpha=0.2, linewidth=0.7)


def _shape(plot: "PolarAxes", rows: Rows, colour: str, name: str, filled: bool) -> None:
    """One version's polygon; where a score is missing, the two adjacent sides are missing too."""
    scores = {row["virtue"]: row["score"] for row in rows}
    reached = [float("nan") if is_missing(scores.get(virtue)) else scores[virtue] for virtue in VIRTUES]
    angles, reached = [*_angles(), 0.0], [*reached, reached[0]]
    style = {"linestyle": "-" if filled else (0, (3, 2)), "marker": "o" if filled else "D", "markersize": 4}
    plot.plot(angles, reached, color=colour, linewidth=1.6, label=label(name), **style)  # type: ignore[arg-type]
    if filled and not any(map(is_missing, reached)):
        plot.fill(angles, reached, color=colour, alpha=0.18, linewidth=0)
