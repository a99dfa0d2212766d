import asyncio
import threading

import pytest

from stoic_assets.adapters.graph.bolt_sessions import BoltServer, BoltSessions
from stoic_assets.core.configuration.graph_address import GraphAddress
from stoic_assets.core.errors import InfrastructureError, ServiceUnreachable

LOST, FOUND = (BoltServer(GraphAddress(f"bolt://127.0.0.1:{port}")) for port in (1, 2))
WAITERS = 100
"""More than the threads of an event loop, on any machine that runs the tests."""


async def all_wait(sessions: BoltSessions, end: threading.Event) -> list[BaseException | None]:
    """Has many trials wait for a lost server, while another one needs a thread of the loop."""
    sessions.note_loss()
    waiting = [asyncio.create_task(sessions.ensure_found()) for _ in range(WAITERS)]
    await asyncio.sleep(0)
    async with asyncio.timeout(10):
        await asyncio.to_thread(end.set)
    return await asyncio.gather(*waiting, return_exceptions=True)


def test_trials_that_wait_for_a_lost_server_share_one_search_and_hold_up_no_other():
    end, searches = threading.Event(), []

    def find_again() -> BoltServer:
        searches.append(end.wait(20))
        return FOUND

    sessions = BoltSessions(LOST, find_again)
    assert asyncio.run(all_wait(sessions, end)) == [None] * WAITERS
    assert (sessions.server, searches) == (FOUND, [True])


def test_a_search_that_fails_is_an_outage_for_each_and_the_next_caller_searches_again():
    end, searches = threading.Event(), []

    def find_again() -> BoltServer:
        searches.append(end.wait(20))
        if len(searches) == 1:
            raise ServiceUnreachable("did not start")
        return FOUND

    sessions = BoltSessions(LOST, find_again)
    faults = asyncio.run(all_wait(sessions, end))
    assert [str(fault) for fault in faults] == ["did not start"] * WAITERS
    assert {type(fault) for fault in faults} == {InfrastructureError}
    asyncio.run(sessions.ensure_found())
    assert (sessions.server, searches) == (FOUND, [True, True])
    asyncio.run(sessions.ensure_found())
    assert len(searches) == 2


def test_nothing_is_searched_that_was_not_lost():
    sessions = BoltSessions(LOST, lambda: pytest.fail("searched"))
    asyncio.run(sessions.ensure_found())
    assert sessions.server == LOST
