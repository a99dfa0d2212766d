"""Real graph servers, real HTTP servers on loopback, and what a disk would keep, for the tests of the adapters."""

import asyncio
import gc
import inspect
import json
import os
import shutil
import socket
import stat
import subprocess
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hanging_up import server_that_hangs_up
from proxies import proxy_that_answers
from served import served
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.graph.embedded_server import GraphServer
from stoic_assets.core.configuration.graph_address import GraphAddress, subject_address
from stoic_assets.core.table_rows import Rows

NEO4J = "STOIC_TEST_NEO4J_URI"


@pytest.fixture
def uncollected() -> Iterator[None]:
    """What is in a cycle of references stays, as in a process that has exempted it from garbage collection."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(scope="session")
def neo4j_address() -> GraphAddress:
    """The Neo4j server that STOIC_TEST_NEO4J_URI names, with the credentials inside the URI."""
    address = subject_address({"NEO_URI": os.environ.get(NEO4J, "")})
    if address is None:
        pytest.skip(f"no Neo4j server: set {NEO4J} or run python tests/neo4j_server/start.py")
    return address


@dataclass(frozen=True)
class LabelledGraph:
    """A graph, and a label that no other test uses: a server of the user's own keeps what it has."""

    kind: str
    graph: Graph
    address: GraphAddress
    label: str

    def setup(self, script: str, **parameters: object) -> None:
        """Run a script in which L stands for the label."""
        asyncio.run(self.graph.run_script(self.named(script), parameters, seconds=30))

    def rows(self, cypher: str, max_rows: int = 100, **parameters: object) -> Rows:
        """Observe with a query in which L stands for the label."""
        return asyncio.run(self.graph.observe(self.named(cypher), parameters, 10, max_rows))

    def schema(self) -> list[str]:
        """The names of the label's constraints and indexes."""
        rows = [row for what in ("CONSTRAINTS", "INDEXES") for row in asyncio.run(self.graph.write(f"SHOW {what}"))]
        return sorted(row["name"] for row in rows if self.label in str(row))

    def named(self, cypher: str) -> str:
        """The text with the label for the L in `:L` and in names such as `index_L`."""
        return cypher.replace(":L", f":{self.label}").replace("_L", f"_{self.label}")


@pytest.fixture(params=["embedded", "neo4j"])
def subject(request: pytest.FixtureRequest) -> Iterator[LabelledGraph]:
    """The subject graph on either server."""
    if request.param == "embedded":
        server: GraphServer = request.getfixturevalue("embedded")
        address, observer = server.address("subject"), server.observer()
    else:
        address, observer = request.getfixturevalue("neo4j_address"), None
    labelled = LabelledGraph(request.param, Graph(address, observer), address, f"Test{uuid.uuid4().hex}")
    yield labelled
    labelled.setup("MATCH (n:L) DETACH DELETE n")


@pytest.fixture
def constrained(subject: LabelledGraph) -> Iterator[LabelledGraph]:
    """A graph with one node of the label, and a uniqueness constraint on its `n`."""
    subject.setup("CREATE CONSTRAINT kept_L FOR (a:L) REQUIRE a.n IS UNIQUE; CREATE (:L {n: 1})")
    yield subject
    subject.setup("MATCH (a:L) DETACH DELETE a; DROP CONSTRAINT kept_L IF EXISTS; DROP CONSTRAINT new_L IF EXISTS")


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    query: str = ""


@dataclass
class Service:
    """`answers` are used one after the other, the last one for ever; each is a response or makes one."""

    url: str = ""
    seen: list[Seen] = field(default_factory=list)
    answers: list[Response | Callable[[Seen], Any]] = field(default_factory=list)

    async def handle(self, request: Request) -> Response:
        raw = await request.body()
        body, path = json.loads(raw or b"null"), request.scope["path"]
        self.seen.append(Seen(request.method, path, dict(request.headers), body, request.url.query))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not isinstance(answer, Response):
            answer = answer(self.seen[-1])
        return await answer if inspect.isawaitable(answer) else answer

    def replies(self, *bodies: Any, status: int = 200, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers = [JSONResponse(body, status, headers=named) for body in bodies]


@pytest.fixture(scope="session")
def running_service() -> Iterator[Service]:
    service = Service()
    app = Starlette(routes=[Route("/{path:path}", service.handle, methods=["GET", "PUT", "POST"])])
    with served(app) as (service.url, _):
        yield service


@pytest.fixture
def service(running_service: Service) -> Service:
    running_service.seen.clear()
    running_service.replies({})
    return running_service


@pytest.fixture
def certified(service: Service, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The service behind TLS, and the certificate that it signed itself."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, *names],
        check=True, capture_output=True,
    )
    app = Starlette(routes=[Route("/{path:path}", service.handle, methods=["PUT", "POST"])])
    with served(app, ssl_keyfile=key, ssl_certfile=certificate) as (url, _):
        yield url, certificate


@pytest.fixture
def refusing_proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A proxy that does not accept the password with which the environment names it: this one."""
    with proxy_that_answers(b"407 Proxy Authentication Required", monkeypatch) as password:
        yield password


@pytest.fixture
def lost_proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A proxy that does not reach what is asked for; the password with which the environment names it."""
    with proxy_that_answers(b"502 Bad Gateway", monkeypatch) as password:
        yield password


@pytest.fixture
def deaf_url() -> Iterator[str]:
    """An address where no connection is refused, and none accepted: its queue is full."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener, ExitStack() as queue:
        for _ in range(2):
            waiting = queue.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture
def silent_url() -> Iterator[str]:
    """An address where every connection ends without an answer, as without TLS at a server that wants TLS."""
    with server_that_hangs_up() as url:
        yield url


@dataclass
class SyncedDisk:
    """What would survive a power cut: the sizes of files and the names in folders, as they were last synced."""

    root: Path
    synced: dict[int, int | list[str]] = field(default_factory=dict)

    def sync(self, handle: int) -> None:
        seen = os.fstat(handle)
        self.synced[seen.st_ino] = os.listdir(handle) if stat.S_ISDIR(seen.st_mode) else seen.st_size

    def keeps(self, path: Path) -> bool:
        """Whether a file would still be there, whole, under its name and in its folders."""
        inside = [each for each in (path, *path.parents) if each.is_relative_to(self.root) and each != self.root]
        names = [each.name in self.synced.get(each.parent.stat().st_ino, []) for each in inside]  # type: ignore[operator]
        return self.synced.get(path.stat().st_ino) == path.stat().st_size and all(names)


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SyncedDisk:
    """The disk with the test's folder."""
    disk = SyncedDisk(tmp_path)
    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, disk.sync, raising=False)
    return disk


@pytest.fixture(autouse=True)
def no_proxy_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
