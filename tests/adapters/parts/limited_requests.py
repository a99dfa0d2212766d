"""Single requests under a limit: one that fails, one that waits."""

import asyncio

import pytest

from stoic_assets.adapters.http.request_limit import RequestLimit
from stoic_assets.core.errors import AttemptFailed


async def fail(limit: RequestLimit, failure: AttemptFailed) -> None:
    """One request that ends so."""
    with pytest.raises(AttemptFailed):
        async with limit.request():
            raise failure


async def waited(limit: RequestLimit) -> float:
    """Seconds that one request had to wait."""
    clock = asyncio.get_running_loop().time
    start = clock()
    async with limit.request():
        return clock() - start


def busy(retry_after: float | None = None) -> AttemptFailed:
    return AttemptFailed("busy", busy=True, retry_after=retry_after)
