"""The chart of how often each level was given: one bar for each dimension, from 1 on the left to 5 on the right."""

from collections.abc import Sequence
from itertools import accumulate

from stoic_assets.core.presentation.drawing import INK_MARK, STRONG, axes, label, svg
from stoic_assets.core.presentation.formatting import words
from stoic_assets.core.ratings.rating_table import MARKS
from stoic_assets.core.ratings.report.distribution import Distribution

NARROWEST = 0.05
"""A share that is narrower has no room for its level."""


def distribution_chart_svg(distributions: Sequence[Distribution]) -> str:
    """Distributions of marks as an `<svg>` element; a question without marks has no bar."""
    figure, plot = axes(4.6, 2.6)
    for place, found in enumerate(reversed(distributions)):
        shares = [count / max(sum(found.counts), 1) for count in found.counts]
        starts = [0.0, *accumulate(shares)]
        for level, (start, share) in enumerate(zip(starts, shares, strict=False), 1):
            plot.barh(place, share, left=start, height=0.62, color=STRONG, alpha=level / MARKS, linewidth=0)
            if share >= NARROWEST:
                plot.text(start + share / 2, place, str(level), ha="center", va="center", fontsize=9, color=INK_MARK)
    plot.set_yticks(range(len(distributions)), [label(words(found.question)) for found in reversed(distributions)])
    plot.set_xlim(0, 1)
    plot.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    return svg(figure, "marks")
