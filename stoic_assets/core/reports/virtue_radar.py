"""The radar of the five virtues: this version's shape over that of its base."""

from math import tau
from typing import TYPE_CHECKING, Literal, cast

from stoic_assets.core.judging.virtues import VIRTUES
from stoic_assets.core.presentation.drawing import INK_MARK, STRONG, Margins, axes, label, svg
from stoic_assets.core.presentation.formatting import is_missing, words
from stoic_assets.core.table_rows import Rows

if TYPE_CHECKING:
    from matplotlib.projections.polar import PolarAxes

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
