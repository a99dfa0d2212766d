"""The chart of ordinal alpha: a point with its interval for each dimension, and the two lines of the gate."""

from collections.abc import Mapping

from stoic_assets.core.presentation.drawing import INK_MARK, PALETTE, axes, label, svg
from stoic_assets.core.ratings.reliability.dimension_reliability import DimensionReliability
from stoic_assets.core.ratings.reliability.gate import ACCEPT, REVIEW, State
from stoic_assets.core.ratings.rubric import DIMENSIONS

COLOURS: Mapping[State, str] = {"pass": PALETTE[2], "fail": PALETTE[4], "unknown": PALETTE[1]}
TICKS = 6
"""The most steps on the axis: with more, where it begins below zero, their figures would touch."""


def forest_chart_svg(dimensions: Mapping[str, DimensionReliability]) -> str:
    """The reliability of each dimension as an `<svg>` element, in the order of the rubric."""
    figure, plot = axes(4.6, 2.6)
    lowest = 0.0
    for place, dimension in enumerate(reversed(DIMENSIONS)):
        found = dimensions[dimension.name]
        alpha, colour = found.coefficients["alpha_ordinal"], COLOURS[found.gate.state]
        if alpha.low is not None and alpha.high is not None:
            plot.plot([alpha.low, alpha.high], [place, place], color=colour, linewidth=3, solid_capstyle="butt")
        if alpha.estimate is None:
            plot.text(0.02, place, "no figure", va="center", fontsize=9, color=INK_MARK)
        else:
            plot.plot(alpha.estimate, place, marker="o", markersize=7, color=colour, markeredgecolor=INK_MARK)
        lowest = min(lowest, alpha.estimate or 0, alpha.low or 0)
    for line in (REVIEW, ACCEPT):
        plot.axvline(line, color=INK_MARK, linewidth=1, linestyle=(0, (4, 2)))
    plot.set_yticks(range(len(DIMENSIONS)), [label(dimension.title) for dimension in reversed(DIMENSIONS)])
    plot.set_ylim(-0.6, len(DIMENSIONS) - 0.4)
    plot.set_xlim(lowest - 0.03, 1.03)
    plot.locator_params(axis="x", nbins=TICKS)
    plot.grid(axis="x", color=INK_MARK, alpha=0.15, linewidth=0.7)
    return svg(figure, "alphas")
