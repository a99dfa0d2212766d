"""The embedded server is for its owner alone: its files, its process and its ports."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from embedded_servers import record

pytestmark = pytest.mark.long


def test_secrets_are_for_their_owner_alone(embedded, embedded_home):
    folder = embedded_home / "graph"
    assert folder.stat().st_mode & 0o777 == 0o700
    for name in ("server.json", "credentials.json", "config/server-users.jsonl"):
        assert (folder / name).stat().st_mode & 0o777 == 0o600
    assert record(embedded_home)["observer_password"] == embedded.observer_password
    assert embedded.password not in repr(embedded)
    assert embedded.observer_password not in repr(embedded)


def test_the_server_process_shows_no_password_and_has_nothing_of_our_environment(embedded, embedded_home):
    shown = subprocess.run(["ps", "eww", str(embedded.pid)], capture_output=True, text=True, check=True).stdout
    assert str(embedded_home) in shown
    assert embedded.password not in shown
    assert "PYTEST_CURRENT_TEST" in os.environ
    assert "PYTEST_CURRENT_TEST" not in shown


def test_it_listens_on_loopback_alone_and_calls_nobody(embedded):
    if not Path("/proc/net/tcp").exists():
        pytest.skip("needs /proc to see who listens where")
    own = tcp_sockets(embedded.pid)
    assert [line for line in own if line[3] == LISTENING]
    assert {line[1].rpartition(":")[0] for line in own} <= set(LOOPBACK)
    assert {line[2].rpartition(":")[0] for line in own if line[3] != LISTENING} <= set(LOOPBACK)


def test_its_http_port_tells_strangers_nothing(embedded):
    """It cannot be switched off. The page that it shows is the same for everybody."""
    if not Path("/proc/net/tcp").exists():
        pytest.skip("needs /proc to see who listens where")
    listening = {int(line[1].rpartition(":")[2], 16) for line in tcp_sockets(embedded.pid) if line[3] == LISTENING}
    [port] = listening - {int(embedded.uri.rpartition(":")[2])}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
        for path in ("server", "databases", "exists/subject", "query/subject/cypher/RETURN%201"):
            answer = client.get(f"/api/v1/{path}", headers={"Origin": "http://evil.example"})
            assert answer.status_code == 401, path
            assert "access-control-allow-origin" not in answer.headers
        command = {"language": "sql", "command": "select 1"}
        assert client.post("/api/v1/command/subject", json=command).status_code == 401


LOOPBACK = ("0100007F", "0000000000000000FFFF00000100007F")
LISTENING = "0A"


def tcp_sockets(pid: int) -> list[list[str]]:
    """The lines of /proc/net/tcp about the sockets of a process: among others local address, remote one, and state."""
    inodes = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            inodes.add(str(descriptor.readlink()))
    lines = [
        line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
    ]
    return [line for line in lines if f"socket:[{line[9]}]" in inodes]
