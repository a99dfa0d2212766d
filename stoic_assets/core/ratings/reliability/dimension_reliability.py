"""The coefficients of each question of a study, each with its interval, and the gate of each dimension."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stoic_assets.core.ratings.rating_table import ANSWERS, MARKS, Floats, RatingTable
from stoic_assets.core.ratings.reliability.chance_corrected import (
    alpha,
    alpha_draws,
    fleiss_kappa,
    gwet_ac,
    mean_kappa,
    nominal_codes,
    ordinal_weights,
    quadratic_codes,
)
from stoic_assets.core.ratings.reliability.correlation import icc_mean, icc_single
from stoic_assets.core.ratings.reliability.estimate import Estimate, as_observed, undefined, with_interval
from stoic_assets.core.ratings.reliability.gate import Gate, gate
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES

Draws = Callable[[Floats, Floats], Floats]
"""A coefficient in each draw, from marks (items × raters) and weights (draws × items)."""


class Coefficient(NamedTuple):
    """How a coefficient is computed in draws, why it may not exist, and a library's function for the figure, if any."""

    draws: Draws
    why_none: str
    figure: Callable[[Floats], float] | None = None


SAME = "every mark is the same: without variation, agreement cannot be distinguished from chance"
NO_PAIR = "no two raters share items on which their marks vary"
SPARSE = "the marks are too sparse, or the items differ too little, to separate items from raters"
OVERALL_LEVELS = len(ANSWERS)
COMPARISON_DRAWS = 200
"""Draws of the unweighted mean kappa of marks: it costs the most of all and is only shown for comparison."""


def _quadratic(marks: Floats, weights: Floats) -> Floats:
    return mean_kappa(quadratic_codes(marks), weights)


def _unweighted(marks: Floats, weights: Floats, levels: int) -> Floats:
    return mean_kappa(nominal_codes(marks, levels), weights)


def _for_comparison(marks: Floats, weights: Floats) -> Floats:
    return _unweighted(marks, weights[:COMPARISON_DRAWS], MARKS)


DIMENSION_COEFFICIENTS: Mapping[str, Coefficient] = {
    "alpha_ordinal": Coefficient(
        partial(alpha_draws, levels=MARKS, level="ordinal"), SAME, partial(alpha, levels=MARKS, level="ordinal")
    ),
    "alpha_nominal": Coefficient(
        partial(alpha_draws, levels=MARKS, level="nominal"), SAME, partial(alpha, levels=MARKS, level="nominal")
    ),
    "ac2": Coefficient(partial(gwet_ac, closeness=ordinal_weights(MARKS)), SAME),
    "icc_a1": Coefficient(icc_single, SPARSE),
    "icc_ak": Coefficient(icc_mean, SPARSE),
    "qwk_mean": Coefficient(_quadratic, NO_PAIR),
    "kappa_mean": Coefficient(_for_comparison, NO_PAIR),
    "fleiss_kappa": Coefficient(partial(fleiss_kappa, levels=MARKS), SAME),
}
OVERALL_COEFFICIENTS: Mapping[str, Coefficient] = {
    "fleiss_kappa": Coefficient(partial(fleiss_kappa, levels=OVERALL_LEVELS), SAME),
    "ac1": Coefficient(partial(gwet_ac, closeness=np.eye(OVERALL_LEVELS)), SAME),
    "cohen_kappa_mean": Coefficient(partial(_unweighted, levels=OVERALL_LEVELS), NO_PAIR),
}
NEEDS_NO_VARIATION = frozenset({"ac1", "ac2"})
"""Coefficients whose chance agreement does not grow with the share of the most common level, so that unanimity is 1."""


@dataclass(frozen=True)
class DimensionReliability:
    """The coefficients of one dimension by name, and its gate."""

    coefficients: Mapping[str, Estimate]
    gate: Gate


def dimension_reliability(table: RatingTable, weights: Floats) -> dict[str, DimensionReliability]:
    """The reliability of each dimension; `weights` are the draws of the bootstrap."""
    return {name: _dimension(table.marks[name], table.overall, weights) for name in DIMENSION_NAMES}


def overall_reliability(table: RatingTable, weights: Floats) -> dict[str, Estimate]:
    """The coefficients of the answers yes, maybe, no."""
    return _estimates(table.overall, weights, OVERALL_COEFFICIENTS)


def _dimension(marks: Floats, overall: Floats, weights: Floats) -> DimensionReliability:
    """The reliability of one dimension. An answer to `overall` without a mark means that the rater chose N/A."""
    coefficients = _estimates(marks, weights, DIMENSION_COEFFICIENTS)
    given = (~np.isnan(marks)).sum(axis=1)
    typical = float(np.median(given[given > 0])) if given.any() else 0.0
    rated = (~np.isnan(marks) | ~np.isnan(overall)).sum(axis=1)
    asked = rated[given > 0] if given.any() else rated
    marked = float(given.sum() / asked.sum()) if asked.any() else 1.0
    return DimensionReliability(coefficients, gate(coefficients["alpha_ordinal"], typical, marked))


def _estimates(marks: Floats, weights: Floats, coefficients: Mapping[str, Coefficient]) -> dict[str, Estimate]:
    there = ~np.isnan(marks)
    is_shared = there.sum(axis=1) >= 2
    shared = int(is_shared.sum())
    if (why := _no_agreement(there, shared)) is not None:
        return dict.fromkeys(coefficients, undefined(why))
    comparable = marks[there & is_shared[:, None]]
    is_unvaried = bool((comparable == comparable[0]).all())
    return {
        name: undefined(SAME) if is_unvaried and name not in NEEDS_NO_VARIATION
        else _estimate(marks, weights, coefficient, shared)
        for name, coefficient in coefficients.items()
    }  # fmt: skip


def _estimate(marks: Floats, weights: Floats, coefficient: Coefficient, shared: int) -> Estimate:
    draws, why_none, figure = coefficient
    value = draws(marks, as_observed(len(marks)))[0] if figure is None else figure(marks)
    return with_interval(value, draws(marks, weights), shared, why_none)


def _no_agreement(there: npt.NDArray[np.bool_], shared: int) -> str | None:
    """Why there is nothing that raters could agree on, or None; so many items have marks of two raters."""
    if not there.any():
        return "nobody gave a mark"
    if there.any(axis=0).sum() == 1:
        return "one rater gave marks: agreement needs two"
    if not shared:
        return "no item has marks of two raters"
    return "one item has marks of two raters: reliability needs two such items" if shared == 1 else None
