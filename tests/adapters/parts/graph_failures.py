"""The errors of calls that a graph fails."""

from collections.abc import Callable

import pytest

from stoic_assets.core.errors import QueryError, StoicError


def failure(call: Callable[[], object], kind: type[StoicError] = QueryError) -> str:
    """The one line of the error that a call raises."""
    with pytest.raises(kind) as raised:
        call()
    assert "\n" not in str(raised.value)
    return str(raised.value)
