"""Arithmetic on arrays with gaps (NaN), without warnings: division by what may be zero, means of what is present."""

import numpy as np

from stoic_assets.core.ratings.rating_table import Floats


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """The quotient, NaN where the denominator is zero or below."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    quotient: Floats = np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator > 0)
    return quotient


def mean_of(values: Floats, axis: int = -1) -> Floats:
    """The mean along an axis of the values present, NaN where there are none."""
    return ratio(np.nansum(values, axis=axis), (~np.isnan(values)).sum(axis=axis).astype(np.float64))
