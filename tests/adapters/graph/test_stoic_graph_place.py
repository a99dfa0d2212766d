import asyncio
from collections.abc import Iterator

import pytest

from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.graph.embedded_server import GraphServer
from stoic_assets.adapters.graph.stoic_graph import MADE_BY
from stoic_assets.adapters.graph.stoic_graph_place import refuse_foreign_labels, refuse_subject_graph
from stoic_assets.core.configuration.graph_address import GraphAddress
from stoic_assets.core.errors import ConfigurationError

OF_THIS_TEST = "MATCH (n) WHERE n.id STARTS WITH 'place-' "


@pytest.fixture
def database(embedded: GraphServer) -> Iterator[Graph]:
    """A database in which no stoic graph is."""
    graph = Graph(embedded.address("subject"))
    yield graph
    asyncio.run(graph.write(f"{OF_THIS_TEST} DETACH DELETE n"))


def run(graph: Graph, cypher: str) -> None:
    asyncio.run(graph.write(cypher))


def test_a_database_where_others_use_the_labels_is_no_place_unless_the_stoic_graph_is_there(database: Graph) -> None:
    run(database, "CREATE (:Task {id: 'place-dinner'}), (:FitnessUpdate {id: 'place-gym', kcal: 3})")
    with pytest.raises(ConfigurationError, match=r"labelled .*Task.* that are not of Stoic Eval, .*; set STOIC_GRAPH_"):
        asyncio.run(refuse_foreign_labels(database))
    run(database, f"CREATE (:Agent {{id: 'place-marcus', made_by: '{MADE_BY}'}})")
    asyncio.run(refuse_foreign_labels(database))


def test_one_database_under_two_addresses_is_noticed_where_servers_tell(
    embedded: GraphServer, neo4j_address: GraphAddress
) -> None:
    one, other = Graph(neo4j_address), Graph(neo4j_address)
    with pytest.raises(ConfigurationError, match=r"two addresses of the same database; .* or STOIC_GRAPH_SHARED=1"):
        asyncio.run(refuse_subject_graph(one, other))
    elsewhere = [Graph(embedded.address(name)) for name in ("stoic", "subject")]
    asyncio.run(refuse_subject_graph(*elsewhere))
    asyncio.run(refuse_subject_graph(elsewhere[0], one))
