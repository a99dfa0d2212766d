"""How a fault of ours shows in Dagster: its one line as the failure of the step, without a second try."""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from stoic_assets.core.errors import StoicError


@contextmanager
def reported() -> Iterator[None]:
    """Turns a `StoicError` into the step's failure; commands find the error itself as the failure's cause."""
    try:
        yield
    except StoicError as error:
        raise dg.Failure(description=str(error), allow_retries=False) from error
