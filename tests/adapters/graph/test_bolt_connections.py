"""Servers that are not there, not Bolt, not trusted or not ours name the setting to correct."""

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from dataclasses import replace
from threading import Event

import pytest
from graph_failures import failure

from stoic_assets.adapters.graph import bolt, bolt_sessions, embedded_graph
from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.graph.bolt_sessions import BoltServer
from stoic_assets.adapters.process import process_identity
from stoic_assets.core.configuration.graph_address import GraphAddress
from stoic_assets.core.errors import InfrastructureError, ServiceUnreachable


def test_a_graph_that_answers_is_pinged_in_silence(subject):
    assert asyncio.run(subject.graph.ping()) is None


def unreachable(address: GraphAddress) -> str:
    return failure(lambda: asyncio.run(Graph(address).ping()), ServiceUnreachable)


@pytest.mark.parametrize("host", ["127.0.0.1", "no-such-host.invalid"])
def test_a_server_that_is_not_there_names_the_address_setting(host):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = GraphAddress(f"bolt://{host}:{free.getsockname()[1]}", variables="NEO")
        assert "NEO_URI" in unreachable(address)
        graph = Graph(address)
        assert host in failure(lambda: asyncio.run(graph.observe("RETURN 1", {}, 5, 1)), InfrastructureError)


def test_a_server_of_another_kind_names_the_address_setting(monkeypatch):
    monkeypatch.setattr(bolt, "_PING_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = GraphAddress(f"bolt://127.0.0.1:{silent.getsockname()[1]}", variables="STOIC_GRAPH")
        assert "STOIC_GRAPH_URI" in unreachable(address)


def test_a_wrong_password_names_the_credential_settings(subject):
    address = replace(subject.address, username="nobody", password="tr0ub4dor", variables="NEO")
    complaint = unreachable(address)
    assert "NEO_USERNAME and NEO_PASSWORD" in complaint
    assert "tr0ub4dor" not in complaint
    graph = Graph(address)
    failure(lambda: asyncio.run(graph.observe("RETURN 1", {}, 5, 1)), InfrastructureError)


def test_a_wrong_database_names_its_setting(subject):
    address = replace(subject.address, database="nosuchdatabase", variables="NEO")
    assert "NEO_DATABASE" in unreachable(address)
    graph = Graph(address)
    failure(lambda: asyncio.run(graph.observe("RETURN 1", {}, 5, 1)), InfrastructureError)


def test_the_database_without_data_names_its_setting(neo4j_address):
    complaint = unreachable(replace(neo4j_address, database="system", variables="NEO"))
    assert complaint.startswith("the database system of bolt://")
    assert complaint.endswith("name another in NEO_DATABASE")


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_a_certificate_that_is_not_trusted_names_the_ways_out(certified, monkeypatch, scheme):
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    url, certificate = certified
    address = GraphAddress(url.replace("https", f"{scheme}+s"), variables="NEO")
    complaint = unreachable(address)
    assert "not trusted: " in complaint
    assert "set SSL_CERT_FILE to a file of PEM certificates" in complaint
    assert f"or write NEO_URI with {scheme}+ssc, which trusts every certificate" in complaint
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert "not trusted" not in unreachable(address)


@pytest.fixture
def refusing() -> Iterator[GraphAddress]:
    """The address of a server that was stopped."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield GraphAddress(f"bolt://127.0.0.1:{held.getsockname()[1]}")


def test_a_server_that_was_stopped_while_nobody_used_it_costs_no_setup(subject, refusing):
    graph = Graph(refusing, find_again=lambda: BoltServer(subject.address))

    async def run() -> list[dict[str, object]]:
        await asyncio.gather(*(graph.run_script(subject.named("RETURN 1; CREATE (:L)"), {}, 30) for _ in range(4)))
        rows = await graph.observe(subject.named("MATCH (n:L) RETURN count(n) AS n"), {}, 30, 1)
        await graph.aclose()
        return rows

    assert asyncio.run(run()) == [{"n": 4}]


def test_a_server_that_was_stopped_while_nobody_used_it_costs_no_query(subject, refusing):
    graph = Graph(refusing, find_again=lambda: BoltServer(subject.address))

    async def run() -> list[dict[str, object]]:
        rows = await graph.observe("RETURN 1 AS n", {}, 30, 1)
        await graph.aclose()
        return rows

    assert asyncio.run(run()) == [{"n": 1}]


@pytest.mark.long
def test_a_server_that_answers_nobody_is_not_the_fault_of_the_query_and_is_replaced(tmp_path, monkeypatch):
    for module in (bolt, bolt_sessions):
        monkeypatch.setattr(module, "CONNECT_SECONDS", 0.5)
    monkeypatch.setattr(embedded_graph, "_ANSWER_SECONDS", 0.5)
    monkeypatch.setattr(process_identity, "_GRACE_SECONDS", 0.1)

    def find_again() -> BoltServer:
        server = embedded_graph.rejoin(tmp_path, Event())
        return BoltServer(server.address("subject"), server.observer())

    async def run(graph: Graph) -> list[dict[str, object]]:
        with pytest.raises(InfrastructureError, match="no longer answers"):
            await graph.observe("RETURN 1 AS n", {}, 0.1, 1)
        return await graph.observe("RETURN 1 AS n", {}, 5, 1)

    with embedded_graph.embedded_graph(tmp_path) as server:
        os.kill(server.pid, signal.SIGSTOP)
        graph = Graph(server.address("subject"), server.observer(), find_again)
        assert asyncio.run(run(graph)) == [{"n": 1}]
