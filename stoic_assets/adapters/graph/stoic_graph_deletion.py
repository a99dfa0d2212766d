"""Removes a version from the stoic graph, with all that only it has there."""

from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.graph.stoic_graph import BATCH, MADE_BY, NAMED_ALONE
from stoic_assets.core.releases import agent_of

_OURS = f"WHERE part.made_by = '{MADE_BY}'"
_PARENTS_ALONE = f"""
    MATCH (:AgentVersion {{id: $version}})-[:EVOLVED_FROM]->(p:AgentVersion)
    WHERE {NAMED_ALONE}
    MATCH (p)<-[:EVOLVED_FROM]-(child)
    WITH p, count(child) AS children
    WHERE children = 1
    RETURN p.id AS id
"""
_TASKS_ALONE = f"""
    MATCH (:AgentVersion {{id: $version}})-[:RECEIVED_EVALUATION]->()-[:FOR_TASK]->(part:Task)
    {_OURS}
    WITH part, count(*) AS own
    MATCH (part)<-[:FOR_TASK]-()
    WITH part, own, count(*) AS everybodys
    WHERE own = everybodys
"""
"""By count: looking at the versions behind each evaluation takes the embedded server six times as long."""
_PARTS_OF_VERSION = (
    f"MATCH (part:FitnessUpdate {{agent_version: $version}}) {_OURS}",
    _TASKS_ALONE,
    "MATCH (:AgentVersion {id: $version})-[:RECEIVED_EVALUATION]->()-[:HAS_VIRTUE_SCORE]->(part)",
    "MATCH (:AgentVersion {id: $version})-[:RECEIVED_EVALUATION]->(part)",
    f"MATCH (part:AgentVersion {{id: $version}}) {_OURS}",
    f"MATCH (part:Agent {{id: $agent}}) {_OURS} AND NOT (part)-[:HAS_VERSION]->()",
)


async def delete_version(graph: Graph, agent_version: str) -> None:
    """Removes a version with its evaluations and fitness, and the agent with its last version.

    Tasks that only this version has are removed too, and parents known only as its parents. The version counts in the
    agent's trends: call `project_trends` with the remaining versions first, while the agent still exists.
    """
    parents = await graph.write(_PARENTS_ALONE, {"version": agent_version})
    for version in (*(parent["id"] for parent in parents), agent_version):
        await _delete_parts(graph, version)


async def _delete_parts(graph: Graph, agent_version: str) -> None:
    place = {"agent": agent_of(agent_version), "version": agent_version}
    for parts in _PARTS_OF_VERSION:
        deleted = BATCH
        while deleted == BATCH:
            some = f"{parts} WITH part LIMIT {BATCH}"
            found = await graph.write(f"{some} DETACH DELETE part RETURN count(*) AS deleted", place)
            deleted = found[0]["deleted"]
