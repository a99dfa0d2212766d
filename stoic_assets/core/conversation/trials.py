"""All trials of one evaluation or several: wave after wave, side by side where they do not disturb each other."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager

from stoic_assets.core.calls.concurrent_calls import concurrently
from stoic_assets.core.jobs.plan import Planned, waves

Hold = Callable[[Planned], Awaitable[object]]
"""Runs a trial, and keeps what comes of it."""
GraphAccess = Callable[[bool], AbstractAsyncContextManager[None]]
"""Access to the subject graph for a wave: exclusive (True), or shared with other runs of this home (False)."""


async def hold_all(planned: Sequence[Planned], hold: Hold, at_once: int, access: GraphAccess) -> None:
    """Runs every trial, at most `at_once` together.

    An error of `hold` concerns the whole evaluation: it cancels the running trials (their journals remain) and is
    raised.
    """
    slots = asyncio.Semaphore(at_once)

    async def one(item: Planned) -> None:
        async with slots:
            await hold(item)

    for wave in waves(planned):
        async with access(wave.alone):
            if wave.alone:
                for item in wave.trials:
                    await one(item)
            else:
                await concurrently(map(one, wave.trials))
