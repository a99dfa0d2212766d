"""Waiting for several calls at the same time: all of them succeed, or the first failure cancels the rest."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from stoic_assets.core.errors import StoicError

R = TypeVar("R")


async def concurrently(calls: Iterable[Coroutine[Any, Any, R]]) -> list[R]:
    """The results in order. The first failure cancels the rest, so that nothing more is paid for, and is raised.

    Of several failures at once, a `StoicError` takes precedence over a defect.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(call) for call in calls]
    except ExceptionGroup as failures:
        ours, _ = failures.split(StoicError)
        failure = (ours or failures).exceptions[0]
    else:
        return [task.result() for task in tasks]
    raise failure  # outside the handler, so that the group does not replace the failure's own cause
