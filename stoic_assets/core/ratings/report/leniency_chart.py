"""The chart of how lenient each rater is: marks above or below the others on the same items, with intervals."""

from collections.abc import Mapping

from stoic_assets.core.presentation.drawing import INK_MARK, STRONG, axes, label, svg
from stoic_assets.core.ratings.reliability.estimate import Estimate

ROW_HEIGHT = 0.24


def leniency_chart_svg(leniency: Mapping[str, Estimate]) -> str:
    """The leniency of each rater as an `<svg>` element, the most lenient on top; those without a figure are omitted."""
    ranked = sorted((found.estimate, rater) for rater, found in leniency.items() if found.estimate is not None)
    figure, plot = axes(4.6, 1.0 + ROW_HEIGHT * len(ranked))
    plot.axvline(0, color=INK_MARK, linewidth=1)
    for place, (mean, rater) in enumerate(ranked):
        found = leniency[rater]
        if found.low is not None and found.high is not None:
            plot.plot([found.low, found.high], [place, place], color=STRONG, linewidth=2.5, solid_capstyle="butt")
        plot.plot(mean, place, marker="o", markersize=6, color=STRONG, markeredgecolor=INK_MARK)
    plot.set_yticks(range(len(ranked)), [label(rater) for _, rater in ranked])
    plot.set_ylim(-0.7, len(ranked) - 0.3)
    plot.set_xlabel("marks above the others", color=INK_MARK, fontsize=9)
    plot.grid(axis="x", color=INK_MARK, alpha=0.15, linewidth=0.7)
    return svg(figure, "leniency")
