"""When what failed on a graph is tried again, how often, and after which pause; `graph_errors.py` says what may pass.

Each policy is called with a coroutine function and its arguments, and raises the last error.
"""

from collections.abc import Callable
from typing import Any

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, stop_after_delay
from tenacity.wait import wait_random_exponential

from stoic_assets.adapters.graph import graph_errors
from stoic_assets.core.assertions.cypher_script import commits_in_parts
from stoic_assets.core.configuration.graph_address import GraphAddress

_WRITE_LIMIT = stop_after_delay(30) & stop_after_attempt(2)  # a hung server is noticed later, and then replaced
_SETUP_LIMIT = stop_after_attempt(8)
_PAUSE = wait_random_exponential(multiplier=0.05, max=1)


def of_reading(address: GraphAddress, seconds: float) -> AsyncRetrying:
    """The retries of a query that only reads: one if the graph failed it, any within `seconds` if memory is short."""

    def enough(state: RetryCallState) -> bool:
        error = state.outcome.exception() if state.outcome else None
        if error and graph_errors.is_crowded_out(error):
            return (state.seconds_since_start or 0) >= seconds
        return state.attempt_number >= 2

    return _retrying(enough, lambda error: graph_errors.may_pass(error, address))


def of_setup(statement: str) -> AsyncRetrying:
    """The retries of a setup's statement after a conflict; none if it commits in parts: some may have run already."""
    return _retrying(stop_after_attempt(1) if commits_in_parts(statement) else _SETUP_LIMIT, graph_errors.is_conflict)


def of_script() -> AsyncRetrying:
    """The retries of what is left of a setup: one if no connection could be opened."""
    return _retrying(stop_after_attempt(2), graph_errors.is_refused_connection)


def of_write() -> AsyncRetrying:
    """The retries of a write that may run twice."""
    return _retrying(_WRITE_LIMIT, graph_errors.is_temporary)


def _retrying(limit: Callable[[RetryCallState], Any], worth_it: Callable[[BaseException], bool]) -> AsyncRetrying:
    return AsyncRetrying(retry=retry_if_exception(worth_it), stop=limit, wait=_PAUSE, reraise=True)
