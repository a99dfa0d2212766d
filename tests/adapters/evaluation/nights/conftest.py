"""A workplace on the embedded graph, and real agents over HTTP that are released there."""

import json
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from held_nights import JOB, SECRET, Agent, handler

from stoic_assets.adapters.graph.embedded_server import GraphServer
from stoic_assets.adapters.workplace import Workplace, open_workplace


@pytest.fixture
def workplace(embedded_home: Path, embedded: GraphServer, tmp_path: Path) -> Workplace:
    """A project that shares the running graph; one conversation at a time, so that their order can be seen."""
    (tmp_path / "eval_jobs").mkdir()
    (tmp_path / "releases").mkdir()
    (tmp_path / "eval_jobs" / "hello.yml").write_text(JOB)
    (tmp_path / "stoic.yml").write_text("conversations: {at_once: 1}\n")
    subject, stoic = embedded.address("subject"), embedded.address("stoic")
    env = {
        "STOIC_HOME": str(tmp_path / "home"), "STOIC_LLM": "offline",
        "NEO_URI": subject.uri, "NEO_USERNAME": subject.username or "", "NEO_PASSWORD": subject.password or "",
        "NEO_DATABASE": subject.database or "", "STOIC_GRAPH_URI": stoic.uri,
        "STOIC_GRAPH_USERNAME": stoic.username or "", "STOIC_GRAPH_PASSWORD": stoic.password or "",
        "STOIC_GRAPH_DATABASE": stoic.database or "",
    }
    return open_workplace(env, start=tmp_path)


@pytest.fixture
def said() -> list[str]:
    """The versions that were talked to, message by message."""
    return []


@pytest.fixture
def agent(workplace: Workplace, said: list[str]) -> Iterator[Agent]:
    """Starts an agent and releases it; gives its version. One with `refuses` wants a key that nobody has."""
    servers: list[ThreadingHTTPServer] = []

    def start(version: str, refuses: bool = False, reachable: bool = True) -> str:
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler(version, refuses, said))
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        url = f"http://127.0.0.1:{server.server_address[1] if reachable else 9}/{SECRET}"
        released = f"2026-11-0{len(servers)}T09:00:00Z"
        manifest = {"agent": "marcus", "version": version, "url": url, "releasedAt": released}
        (workplace.project.releases / f"{version}.yml").write_text(json.dumps(manifest))
        return f"marcus@{version}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
