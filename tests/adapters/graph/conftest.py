"""The stoic graph, on the embedded server and, where there is one, on Neo4j."""

import asyncio
import uuid
from collections.abc import Iterator

import pytest
from projection import OURS, Projection

from stoic_assets.adapters.graph import stoic_graph
from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.graph.embedded_server import GraphServer


@pytest.fixture(params=["embedded", "neo4j"])
def projection(request: pytest.FixtureRequest) -> Iterator[Projection]:
    if request.param == "embedded":
        server: GraphServer = request.getfixturevalue("embedded")
        graph = Graph(server.address("stoic"))
    else:
        graph = Graph(request.getfixturevalue("neo4j_address"))
    asyncio.run(stoic_graph.prepare(graph))
    projection = Projection(graph, f"marcus-{uuid.uuid4().hex}")
    yield projection
    projection.rows(f"MATCH (n) WHERE {OURS} DETACH DELETE n")
