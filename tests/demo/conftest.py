"""A fixed now, a way to talk to the mentor alone, a real embedded graph, and the agent as a process over it."""

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import httpx
import pytest

from stoic_assets.adapters.graph.embedded_server import GraphServer
from stoic_assets.core.configuration.graph_address import GraphAddress, subject_address
from stoic_assets.demo.mentor import Mentor
from stoic_assets.demo.releases import release_named
from stoic_assets.demo.session import Known, Reply, Session

NEO4J = "STOIC_TEST_NEO4J_URI"
SATURDAY_NIGHT = datetime(2026, 11, 21, 22, 6, tzinfo=UTC)


@pytest.fixture
def now() -> datetime:
    """A Saturday evening in UTC, when it is Sunday in Sydney."""
    return SATURDAY_NIGHT


class Conversation:
    """A session with one release of the mentor, without service and graph."""

    def __init__(self, version: str, now: datetime, known: Known | None = None) -> None:
        self.session = Session("session-1", "ada", "marcus", known or Known())
        self._mentor, self._now = Mentor(release_named(version)), now

    def say(self, text: str) -> Reply:
        """The mentor's reply."""
        return self._mentor.answer(self.session, text, self._now)

    def calls(self, text: str) -> list[str]:
        """The functions that a message makes the mentor call."""
        return [call.function for call in self.say(text).calls]


@pytest.fixture
def begin(now: datetime) -> Callable[..., Conversation]:
    """Begins a conversation with a release, by default the good one."""
    return lambda version="1.0.0", known=None: Conversation(version, now, known)


@pytest.fixture(scope="session", params=["embedded", *([NEO4J] if os.environ.get(NEO4J) else [])])
def graph_address(request: pytest.FixtureRequest) -> GraphAddress:
    """The subject graph: the embedded server's, and also the one of STOIC_TEST_NEO4J_URI where that is set."""
    if request.param == NEO4J:
        address = subject_address({"NEO_URI": os.environ[NEO4J]})
        assert address is not None
        return address
    server: GraphServer = request.getfixturevalue("embedded")
    return server.address("subject")


@pytest.fixture
def user() -> str:
    """A user whom nobody knows: a server of the user's own keeps what it has."""
    return f"ada-{uuid.uuid4().hex}"


@contextmanager
def _running(address: GraphAddress, version: str, *options: str, **settings: str) -> Iterator[httpx.Client]:
    place = {
        "NEO_URI": address.uri, "NEO_USERNAME": address.username or "", "NEO_PASSWORD": address.password or "",
        "NEO_DATABASE": address.database or "",
    }
    command = [sys.executable, "-m", "stoic_assets.demo.service", "--release", version, "--port", "0", *options]
    env = {**os.environ, **place, **settings}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            ready = json.loads(process.stdout.readline())
            assert ready["release"] == version
            with httpx.Client(base_url=ready["url"], timeout=20) as client:
                yield client
        finally:
            process.terminate()
            assert process.wait(10) == 0
            assert process.stdout is not None
            assert process.stdout.read() == ""  # one line, and no more


@pytest.fixture(scope="session")
def run_agent(graph_address: GraphAddress) -> Callable[..., object]:
    """Runs a release as a process, as a user does, and gives a client of it."""
    return lambda version, *options, **settings: _running(graph_address, version, *options, **settings)


@pytest.fixture(scope="session")
def marcus(graph_address: GraphAddress) -> Iterator[dict[str, httpx.Client]]:
    """Both releases, running, by version."""
    with _running(graph_address, "1.0.0") as good, _running(graph_address, "1.1.0") as bad:
        yield {"1.0.0": good, "1.1.0": bad}
