"""The chart of who agrees with whom: quadratic kappa of every two raters, over the marks of all dimensions."""

import numpy as np

from stoic_assets.core.presentation.drawing import INK_MARK, axes, label, svg
from stoic_assets.core.presentation.formatting import score
from stoic_assets.core.ratings.rating_table import Floats, RatingTable
from stoic_assets.core.ratings.reliability.pairwise_kappa import kappa_matrix, quadratic_codes

MOST_WITH_FIGURES = 10
"""With more raters the figures would not be readable."""
MOST_NAMED = 30


def kappa_heat_map_svg(table: RatingTable) -> str:
    """Raters × raters as an `<svg>` element: the stronger the colour, the better they agree; blank where undefined."""
    matrix = _kappas(table)
    figure, plot = axes(4.6, 4.2)
    plot.imshow(matrix, cmap="Blues", vmin=-0.2, vmax=1.2, interpolation="none")
    if len(table.raters) <= MOST_WITH_FIGURES:
        for row, column in np.argwhere(np.isfinite(matrix)):
            value = matrix[row, column]
            # The colours of the cells do not depend on the page, so their ink does not either.
            ink_of_cell = "white" if value > 0.55 else "black"
            plot.text(column, row, score(value), ha="center", va="center", fontsize=9, color=ink_of_cell)
    step = -(-len(table.raters) // MOST_NAMED)
    places = range(0, len(table.raters), step)
    names = [label(table.raters[place]) for place in places]
    plot.set_xticks(places, names, rotation=90)
    plot.set_yticks(places, names)
    plot.tick_params(colors=INK_MARK, labelsize=9 if len(names) <= MOST_WITH_FIGURES else 7)
    return svg(figure, "pairs")


def kappas_of_pairs(table: RatingTable) -> list[tuple[float, str, str]]:
    """The kappa of every two raters that have one, with their names, the lowest first: what the chart shows."""
    matrix = _kappas(table)
    return sorted(
        (float(matrix[row, column]), table.raters[row], table.raters[column])
        for row, column in np.argwhere(np.isfinite(matrix)) if row < column
    )


def _kappas(table: RatingTable) -> Floats:
    marks = table.all_marks().reshape(-1, len(table.raters))
    return kappa_matrix(quadratic_codes(marks), ~np.isnan(marks))
