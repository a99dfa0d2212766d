"""All trials of one evaluation or several: wave after wave, side by side where they do not disturb each other."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager

from stoic_assets.core.calls.concurrent_calls import concurrently
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.jobs.plan import Planned, waves

Hold = Callable[[Planned], Awaitable[Evidence | None]]
"""Runs a trial; None leaves it for a later run."""
GraphAccess = Callable[[bool], AbstractAsyncContextManager[None]]
"""Access to the subject graph for a wave: exclusive (True), or shared with other runs of this home (False)."""


async def hold_all(planned: Sequence[Planned], hold: Hold, at_once: int, access: GraphAccess) -> list[Evidence]:
    """Runs every trial, at most `at_once` together, and returns the evidence of those that ended.

    An error of `hold` concerns the whole evaluation: it cancels the running trials (their journals remain) and is
    raised.
    """
    slots, held = asyncio.Semaphore(at_once), dict[str, Evidence]()

    async def one(item: Planned) -> None:
        async with slots:
            evidence = await hold(item)
        if evidence is not None:
            held[item.trial.trial_id] = evidence

    for wave in waves(planned):
        async with access(wave.alone):
            if wave.alone:
                for item in wave.trials:
                    await one(item)
            else:
                await concurrently(map(one, wave.trials))
    return [held[item.trial.trial_id] for item in planned if item.trial.trial_id in held]
