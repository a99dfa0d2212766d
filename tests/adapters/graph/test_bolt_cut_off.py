"""Connections that something between cuts off, as NAT and load balancers do with idle ones; servers that hang."""

import asyncio
import socket
import struct
import threading
import uuid
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from stoic_assets.adapters.graph import bolt, bolt_retries, bolt_sessions
from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.graph.bolt_sessions import BoltServer
from stoic_assets.core.configuration.graph_address import GraphAddress
from stoic_assets.core.errors import InfrastructureError

RESET = struct.pack("ii", 1, 0)


class Between:
    """Forwards connections to a server until it is told not to; `fatal` is what costs a client its connection."""

    def __init__(self, port: int) -> None:
        self._server = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._forgotten: set[socket.socket] = set()
        self.port = self._listener.getsockname()[1]
        self.fatal = b""
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Reset every connection that there is."""
        for each in self._open:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            each.shutdown(socket.SHUT_RD)  # or its thread would keep it open
            each.close()
        self._open = []

    def forget(self) -> None:
        """Forward nothing more of the connections that there are, and tell nobody."""
        self._forgotten = set(self._open)

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(self._server)
            self._open += [client, server]
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._forward, args=(source, sink), daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                if source in self._forgotten:
                    continue
                is_fatal = self.fatal and self.fatal in data
                if is_fatal:
                    self._forgotten.add(sink)  # else its answer may be faster than the cut
                sink.sendall(data)
                if is_fatal:
                    self.cut()
        except OSError:
            pass


@pytest.fixture
def between(neo4j_address: GraphAddress) -> Iterator[Between]:
    """What stands between us and the server."""
    proxy = Between(urlsplit(neo4j_address.uri).port or 0)
    yield proxy
    proxy.close()


@pytest.fixture
def graph(neo4j_address: GraphAddress, between: Between) -> Graph:
    return Graph(replace(neo4j_address, uri=f"bolt://127.0.0.1:{between.port}"))


async def use_both_accounts(graph: Graph) -> None:
    """Leave an idle connection behind for reading and one for writing."""
    await graph.observe("RETURN 1 AS n", {}, 5, 1)
    await graph.run_script("RETURN 1", {}, 5)


def test_an_idle_connection_that_was_cut_costs_no_query(graph, between):
    async def run() -> list[dict[str, object]]:
        await use_both_accounts(graph)
        between.cut()
        rows = await graph.observe("RETURN 2 AS n", {}, 5, 1)
        await graph.aclose()
        return rows

    assert asyncio.run(run()) == [{"n": 2}]


@pytest.mark.parametrize("script", ["CREATE (:L)", "UNWIND [1] AS i CALL (i) { CREATE (:L) } IN TRANSACTIONS"])
def test_an_idle_connection_that_was_cut_costs_no_setup(graph, between, script):
    label = f"Test{uuid.uuid4().hex}"

    async def run() -> list[dict[str, object]]:
        await use_both_accounts(graph)
        between.cut()
        await graph.run_script(script.replace(":L", f":{label}"), {}, 5)
        return await counted_and_removed(graph, label)

    assert asyncio.run(run()) == [{"n": 1}]


async def counted_and_removed(graph: Graph, label: str) -> list[dict[str, object]]:
    rows = await graph.observe(f"MATCH (n:{label}) RETURN count(n) AS n", {}, 5, 1)
    await graph.write(f"MATCH (n:{label}) DELETE n")
    await graph.aclose()
    return rows


def test_a_setup_that_may_have_been_executed_is_not_repeated(graph, between):
    label = f"Test{uuid.uuid4().hex}"

    async def run() -> list[dict[str, object]]:
        await use_both_accounts(graph)
        between.fatal = b"CREATE (:"
        with pytest.raises(InfrastructureError):
            await graph.run_script(f"CREATE (:{label})", {}, 5)
        between.fatal = b""
        return await counted_and_removed(graph, label)

    assert asyncio.run(run()) in ([{"n": 0}], [{"n": 1}])


def test_a_query_whose_connection_is_cut_each_time_is_no_fault_of_the_agent(graph, between):
    async def run() -> None:
        between.fatal = b"RETURN 3"
        with pytest.raises(InfrastructureError, match="failed: "):
            await graph.observe("RETURN 3 AS n", {}, 5, 1)
        await graph.aclose()

    asyncio.run(run())


def test_connections_that_were_forgotten_without_a_word_are_not_used_again(graph, between, monkeypatch):
    monkeypatch.setattr(bolt_sessions, "_LONGEST_LIFE", 0.05)

    async def run() -> list[dict[str, object]]:
        await use_both_accounts(graph)
        between.forget()
        await asyncio.sleep(0.1)
        async with asyncio.timeout(30):
            await graph.run_script("RETURN 1", {}, 60)
            rows = await graph.observe("RETURN 2 AS n", {}, 60, 1)
        await graph.aclose()
        return rows

    assert asyncio.run(run()) == [{"n": 2}]


def test_a_write_that_is_not_answered_is_made_again_on_another_connection(subject, monkeypatch):
    proxy = Between(urlsplit(subject.address.uri).port or 0)
    graph = Graph(replace(subject.address, uri=f"bolt://127.0.0.1:{proxy.port}"))

    async def run() -> list[dict[str, object]]:
        await graph.write("RETURN 1 AS n")
        monkeypatch.setattr(bolt, "_WRITE_SECONDS", 2)
        proxy.forget()
        rows = await graph.write(subject.named("MERGE (a:L {n: 2}) RETURN a.n AS n"))
        await graph.aclose()
        return rows

    assert asyncio.run(asyncio.wait_for(run(), 60)) == [{"n": 2}]
    proxy.close()


def test_idle_connections_with_the_embedded_server_that_broke_are_not_used_without_a_word(embedded, caplog):
    proxy = Between(urlsplit(embedded.uri).port or 0)
    through = replace(embedded, uri=f"bolt://127.0.0.1:{proxy.port}")
    graph = Graph(through.address("subject"), through.observer())

    async def run() -> None:
        await use_both_accounts(graph)
        proxy.cut()
        await use_both_accounts(graph)
        await graph.aclose()

    asyncio.run(run())
    proxy.close()
    assert caplog.messages == []


def test_a_server_that_answers_no_write_is_looked_for_and_holds_nobody_for_ever(monkeypatch):
    monkeypatch.setattr(bolt, "_WRITE_SECONDS", 0.2)
    monkeypatch.setattr(bolt_retries, "_WRITE_LIMIT", bolt_retries.stop_after_attempt(2))
    looked: list[BoltServer] = []

    def find_again() -> BoltServer:
        looked.append(graph._sessions.server)
        return looked[-1]

    async def run() -> None:
        with pytest.raises(InfrastructureError, match=r"failed: no answer within 0\.2 s"):
            await graph.write("RETURN 1")
        await graph.aclose()

    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = GraphAddress(f"bolt://127.0.0.1:{silent.getsockname()[1]}")
        graph = Graph(address, find_again=find_again)
        asyncio.run(asyncio.wait_for(run(), 60))
    assert looked == [BoltServer(address)]
