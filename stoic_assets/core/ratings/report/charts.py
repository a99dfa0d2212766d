"""The charts of a rating study: how often each level was given, how well raters agree, and how lenient each one is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from stoic_assets.core.presentation.drawing import INK_MARK, PALETTE, STRONG, axes, label, svg
from stoic_assets.core.presentation.formatting import score, words
from stoic_assets.core.ratings.rating_table import ANSWERS, MARKS, Floats, RatingTable
from stoic_assets.core.ratings.reliability.chance_corrected import kappa_matrix, quadratic_codes
from stoic_assets.core.ratings.reliability.dimension_reliability import DimensionReliability
from stoic_assets.core.ratings.reliability.estimate import Estimate
from stoic_assets.core.ratings.reliability.gate import ACCEPT, REVIEW, State
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES, DIMENSIONS


@dataclass(frozen=True)
class Distribution:
    """Counts of each level, lowest first, and of ratings without a mark; mean and standard deviation of the marks."""

    question: str
    counts: tuple[int, ...]
    missing: int
    mean: float | None
    sd: float | None


def distributions(table: RatingTable) -> list[Distribution]:
    """One for each dimension, then one for the overall answers (no, maybe, yes), whose mean means little."""
    return [
        *(_distribution(dimension, table.marks[dimension], MARKS, table.ratings) for dimension in DIMENSION_NAMES),
        _distribution("overall", table.overall, len(ANSWERS), table.ratings),
    ]


def _distribution(question: str, marks: Floats, levels: int, ratings: int) -> Distribution:
    given = marks[~np.isnan(marks)]
    counts = tuple(int((given == level).sum()) for level in range(1, levels + 1))
    moments = (float(given.mean()), float(given.std())) if len(given) else (None, None)
    return Distribution(question, counts, ratings - len(given), *moments)


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


GATE_COLOURS: Mapping[State, str] = {"pass": PALETTE[2], "fail": PALETTE[4], "unknown": PALETTE[1]}
MOST_TICKS = 6
"""The most steps on the axis: with more, where it begins below zero, their figures would touch."""


def forest_chart_svg(dimensions: Mapping[str, DimensionReliability]) -> str:
    """Ordinal alpha of each dimension with its interval, in the order of the rubric, and the two lines of the gate."""
    figure, plot = axes(4.6, 2.6)
    lowest = 0.0
    for place, dimension in enumerate(reversed(DIMENSIONS)):
        found = dimensions[dimension.name]
        alpha, colour = found.coefficients["alpha_ordinal"], GATE_COLOURS[found.gate.state]
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
    plot.locator_params(axis="x", nbins=MOST_TICKS)
    plot.grid(axis="x", color=INK_MARK, alpha=0.15, linewidth=0.7)
    return svg(figure, "alphas")


MOST_WITH_FIGURES = 10
"""With more raters the figures would not be readable."""
MOST_NAMED = 30


def rater_kappas(table: RatingTable) -> Floats:
    """Quadratic kappas, raters × raters, over the marks of all dimensions; NaN where undefined."""
    marks = np.concatenate([table.marks[dimension] for dimension in DIMENSION_NAMES])
    return kappa_matrix(quadratic_codes(marks))


def kappa_heat_map_svg(kappas: Floats, raters: Sequence[str]) -> str:
    """The `rater_kappas`: the stronger the colour, the better they agree; blank where undefined."""
    figure, plot = axes(4.6, 4.2)
    plot.imshow(kappas, cmap="Blues", vmin=-0.2, vmax=1.2, interpolation="none")
    if len(raters) <= MOST_WITH_FIGURES:
        for row, column in np.argwhere(np.isfinite(kappas)):
            value = kappas[row, column]
            # The colours of the cells do not depend on the page, so their ink does not either.
            ink_of_cell = "white" if value > 0.55 else "black"
            plot.text(column, row, score(value), ha="center", va="center", fontsize=9, color=ink_of_cell)
    step = -(-len(raters) // MOST_NAMED)
    places = range(0, len(raters), step)
    names = [label(raters[place]) for place in places]
    plot.set_xticks(places, names, rotation=90)
    plot.set_yticks(places, names)
    plot.tick_params(colors=INK_MARK, labelsize=9 if len(names) <= MOST_WITH_FIGURES else 7)
    return svg(figure, "pairs")


def kappas_of_pairs(kappas: Floats, raters: Sequence[str]) -> list[tuple[float, str, str]]:
    """The kappa of every two raters that have one, with their names, the lowest first: what the chart shows."""
    return sorted(
        (float(kappas[row, column]), raters[row], raters[column])
        for row, column in np.argwhere(np.isfinite(kappas)) if row < column
    )


ROW_HEIGHT = 0.24


def leniency_chart_svg(leniency: Mapping[str, Estimate]) -> str:
    """The leniency of each rater as an `<svg>` element, the most lenient on top; those without a figure are omitted.

    It is how far their marks are above or below those of others on the same items.
    """
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
