"""A wall clock that jumps moves no duration: what lasts is measured by clocks that only run forward."""

import ast
import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stoic_assets.adapters.http.request_limit import RequestLimit
from stoic_assets.core.calls.retrying import deliver
from stoic_assets.core.configuration.endpoint_limits import EndpointLimit
from stoic_assets.core.conversation.agent import AgentReply

PACKAGE = Path(__file__).parents[1] / "stoic_assets"
CALENDAR = {
    "adapters/disk/files.py": "the age of a draft that somebody left",
    "adapters/warehouse/compaction.py": "ages of files, which bear the wall clock's time",
    "adapters/graph/embedded_archive.py": "the age of a recording that somebody left",
    "adapters/disk/night_store.py": "the last nights",
    "adapters/http/refusals.py": "a Retry-After that is a date",
    "adapters/messages/outbox.py": "how long ago a message was refused",
    "defs/due_nights.py": "a night that is over",
    "defs/failures.py": "how long ago a run failed",
    "defs/lost_runs.py": "how long ago a run was created, or failed",
    "defs/night_watch.py": "the runs of the last nights",
    "defs/releases.py": "the runs that failed lately",
    "defs/ratings.py": "how long ago a run failed",
}
"""Where the time of day is reckoned with, and why no other clock would do."""


def wall_clock_arithmetic(module: Path) -> Iterator[str]:
    """`time.time`, and differences with what a wall clock says now."""
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("time.time", "time.time_ns"):
            yield ast.unparse(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and ".now(" in ast.unparse(node):
            yield ast.unparse(node)


def test_nothing_lasts_as_long_as_the_wall_clock_says() -> None:
    found = {str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if any(wall_clock_arithmetic(path))}
    assert found == set(CALENDAR)


def test_a_clock_that_jumps_between_question_and_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    jumps = iter(range(0, 10**9, 86_400))
    for name in ("time", "time_ns"):
        monkeypatch.setattr(time, name, lambda: next(jumps))

    async def send() -> AgentReply:
        await asyncio.sleep(0.02)
        return AgentReply("Hello")

    delivery = asyncio.run(deliver(send, EndpointLimit(), turn_timeout=5.0, gate=RequestLimit(EndpointLimit())))
    assert 20 <= delivery.response_ms < 5000
