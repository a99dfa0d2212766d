"""The chart of calibration: how often verdicts of similar confidence were right, without and with the map.

On the diagonal the confidence is exact; below it the judge is overconfident. The larger a dot, the more verdicts it
represents.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stoic_assets.core.judging.confidence_map import ConfidenceMap, ReliabilityBin
from stoic_assets.core.presentation.drawing import INK_MARK, PAGE_INK, STRONG, WEAK, axes, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TICKS = [0, 0.25, 0.5, 0.75, 1]
LARGEST = 160
"""The area of the dot of all verdicts, in square points."""


def reliability_diagram_svg(found: ConfidenceMap, name: str = "reliability", ink: str = PAGE_INK) -> str:
    """The diagram as an `<svg>` element; `name` and `ink` are those of `svg`."""
    figure, plot = axes(3.4, 3.6)
    plot.plot([0, 1], [0, 1], color=INK_MARK, linewidth=1, linestyle=(0, (2, 2)))
    _dots(plot, found.before, WEAK, "s", "uncalibrated")
    _dots(plot, found.after, STRONG, "o", "calibrated")
    plot.set_xlim(-0.05, 1.05)
    plot.set_ylim(-0.05, 1.05)
    plot.set_xticks(TICKS)
    plot.set_yticks(TICKS)
    plot.set_xlabel("confidence", color=INK_MARK, fontsize=9)
    plot.set_ylabel("share that was right", color=INK_MARK, fontsize=9)
    plot.grid(color=INK_MARK, alpha=0.15, linewidth=0.7)
    figure.legend(loc="outside lower center", ncols=2, fontsize=9, frameon=False, labelcolor=INK_MARK)
    return svg(figure, name, ink)


def _dots(plot: "Axes", bins: Sequence[ReliabilityBin], colour: str, marker: str, name: str) -> None:
    total = sum(each.verdicts for each in bins)
    plot.scatter(
        [each.confidence for each in bins], [each.right for each in bins],
        s=[max(12, LARGEST * each.verdicts / total) for each in bins],
        color=colour, marker=marker, alpha=0.85, label=name,
    )  # fmt: skip
