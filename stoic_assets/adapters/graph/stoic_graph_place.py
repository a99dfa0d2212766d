"""Whether a database of the user's own may hold the stoic graph beside what else is in it."""

from collections.abc import Mapping

from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.graph.graphs import Graphs
from stoic_assets.adapters.graph.stoic_graph import LABELS, MADE_BY
from stoic_assets.core.configuration.graph_address import shared, stoic_address
from stoic_assets.core.errors import ConfigurationError, InfrastructureError, QueryError
from stoic_assets.core.presentation.formatting import listed

_SECONDS = 10.0


async def refuse_unfit(graphs: Graphs, env: Mapping[str, str]) -> None:
    """Raises `ConfigurationError` if the stoic graph is in a database of the user's and has no place there."""
    if stoic_address(env):
        await refuse_foreign_labels(graphs.stoic)
        if not shared(env):
            await refuse_subject_graph(graphs.stoic, graphs.subject)


async def refuse_foreign_labels(stoic: Graph) -> None:
    """Raises `ConfigurationError` before the first write if nodes of somebody else have the labels of the stoic graph.

    Its constraints would hold for them as well, and could make the agent that writes them fail.
    """
    if await stoic.write("MATCH (a:Agent {made_by: $us}) RETURN a.id AS id LIMIT 1", {"us": MADE_BY}):
        return
    foreign = [each for each in LABELS if await stoic.write(f"MATCH (n:{each}) RETURN n.id AS id LIMIT 1")]
    if foreign:
        raise ConfigurationError(
            f"the database for the stoic graph has nodes labelled {listed(foreign)} that are not of Stoic Eval, whose "
            "constraints would hold for them too; set STOIC_GRAPH_URI or STOIC_GRAPH_DATABASE to another database, or "
            "remove both to keep the stoic graph in the embedded one"
        )


async def refuse_subject_graph(stoic: Graph, subject: Graph) -> None:
    """Raises `ConfigurationError` if both are one database under two addresses, as far as the servers tell."""
    own = await _database_id(stoic)
    if own is not None and own == await _database_id(subject):
        raise ConfigurationError(
            "NEO_URI and STOIC_GRAPH_URI are two addresses of the same database; set one of them to another database, "
            "or STOIC_GRAPH_SHARED=1 if setups never delete foreign data"
        )


async def _database_id(graph: Graph) -> str | None:
    """Neo4j's id of a database; None where the server has none, or does not answer."""
    try:
        [row] = await graph.observe("CALL db.info() YIELD id RETURN id", {}, _SECONDS, 1)
    except (QueryError, InfrastructureError):
        return None
    return str(row["id"])
