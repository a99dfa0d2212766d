import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from simulated_time import simulated

from stoic_assets.core.calls.concurrent_calls import concurrently
from stoic_assets.core.errors import ConfigurationError


async def after(seconds: float, result: Any) -> Any:
    await asyncio.sleep(seconds)
    return result


async def failing(error: Exception, cause: Exception | None = None) -> Any:
    raise error from cause


def run(*calls: Coroutine[Any, Any, Any]) -> list[Any]:
    async def main() -> list[Any]:
        return await concurrently(calls)

    return simulated(main())


def test_results_come_in_the_order_of_the_calls() -> None:
    assert run(after(0.01, "first"), after(0.0, "second")) == ["first", "second"]
    assert run() == []


def test_the_first_failure_cancels_what_is_still_running() -> None:
    ended = []

    async def slow() -> None:
        await asyncio.sleep(60)
        ended.append("slow")

    with pytest.raises(ConfigurationError, match="no"):
        run(slow(), failing(ConfigurationError("no")))
    assert ended == []


def test_an_error_of_ours_goes_before_one_that_is_nobodys() -> None:
    with pytest.raises(ConfigurationError, match="wrong key"):
        run(failing(KeyError("x")), failing(ConfigurationError("wrong key")), failing(KeyError("y")))
    with pytest.raises(KeyError, match="x"):
        run(failing(KeyError("x")), failing(ValueError("y")))


def test_a_failure_keeps_its_cause() -> None:
    cause = OSError("disk")
    with pytest.raises(ConfigurationError) as caught:
        run(failing(ConfigurationError("wrong key"), cause))
    assert caught.value.__cause__ is cause
