"""The stoic graph: what the warehouse knows of agents, versions, evaluations, trends and fitness, as nodes.

A projection: every write merges on ids and removes what its part of the warehouse no longer contains, so that running
it twice changes nothing and everything can be projected again at any time. No fact is stored here alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation
from stoic_assets.core.moments import utc_text
from stoic_assets.core.releases import agent_of
from stoic_assets.core.table_rows import Row

LABELS = ("Agent", "AgentVersion", "StoicEvaluation", "Task", "VirtueScore", "VirtueTrend", "FitnessUpdate")
SHARED_LINKS = ("HAS_VERSION", "EVOLVED_FROM", "HAS_VIRTUE_TREND")
"""Relationships that two evaluations of an agent may write at once: the embedded server's MERGE then makes two
(measured: one race in five), unless they have an id that must be unique."""
MADE_BY = "stoic-eval"
"""`made_by` of the nodes made here whose label and id another program may use too: no other node is deleted."""
BATCH = 500
"""Rows or nodes of one statement: bounds the memory of its transaction."""

_VERSION = f"""
    MERGE (a:Agent {{id: $agent}}) ON CREATE SET a.made_by = '{MADE_BY}'
    MERGE (v:AgentVersion {{id: $version}}) ON CREATE SET v.made_by = '{MADE_BY}'
    MERGE (a)-[:HAS_VERSION {{id: $version}}]->(v)
"""
_RELEASE = "MATCH (v:AgentVersion {id: $version}) SET v.released_at = $released_at"
NAMED_ALONE = "p.released_at IS NULL AND NOT (p)-[:RECEIVED_EVALUATION]->() AND NOT (p)-[:EVOLVED_FROM]->()"
"""Of a parent `p` nothing else is known than that a version came from it."""
_FORMER_PARENTS = """
    MATCH (:AgentVersion {id: $version})-[r:EVOLVED_FROM]->(p:AgentVersion)
    WHERE NOT p.id IN $parents
    DELETE r
    RETURN p.id AS id
"""
_NAMED_NO_MORE = f"""
    MATCH (p:AgentVersion)
    WHERE p.id IN $former AND p.made_by = '{MADE_BY}' AND NOT (p)<-[:EVOLVED_FROM]-() AND {NAMED_ALONE}
    DETACH DELETE p
"""
_PARENT = """
    MATCH (v:AgentVersion {id: $version}), (p:AgentVersion {id: $parent})
    MERGE (v)-[:EVOLVED_FROM {id: $version + ' ' + $parent}]->(p)
"""
_FORMER_SCORES = """
    MATCH (:AgentVersion {id: $version})-[:RECEIVED_EVALUATION]->(e:StoicEvaluation {evaluation_id: $evaluation_id}),
          (e)-[:HAS_VIRTUE_SCORE]->(s:VirtueScore)
    WHERE $scores[s.id] IS NULL
    DETACH DELETE s
"""
"""What stays is passed as a map: searching a list for each of 1,000 scores takes the embedded server 60 ms, not 7."""
_FORMER_EVALUATIONS = """
    MATCH (:AgentVersion {id: $version})-[:RECEIVED_EVALUATION]->(e:StoicEvaluation {evaluation_id: $evaluation_id})
    WHERE $trials[e.id] IS NULL
    DETACH DELETE e
"""
_FIT = f"""
    MATCH (f:FitnessUpdate) WHERE f.made_by = '{MADE_BY}' AND f.agent_version = $version RETURN f.evaluation_id AS id
"""
_THERE = """
    MATCH (:AgentVersion {id: $version})-[:RECEIVED_EVALUATION]->(e:StoicEvaluation)
    RETURN DISTINCT e.evaluation_id AS id
"""
_EVALUATIONS = f"""
    UNWIND $rows AS row
    MATCH (v:AgentVersion {{id: $version}})
    MERGE (e:StoicEvaluation {{id: row.id}})
    SET e.evaluation_id = $evaluation_id, e.overall_score = row.overall_score,
        e.overall_confidence = row.overall_confidence, e.timestamp = row.timestamp, e.source = row.source,
        e.offline = $offline, e.holdout = row.holdout, e.composite_score = row.composite_score,
        e.task_score = row.task_score, e.assertion_score = row.assertion_score,
        e.failed_assertions = row.failed_assertions
    MERGE (t:Task {{id: row.task_id}}) ON CREATE SET t.made_by = '{MADE_BY}'
    MERGE (e)<-[:RECEIVED_EVALUATION]-(v)
    MERGE (e)-[:FOR_TASK]->(t)
"""
"""The embedded server searches for a relationship from its left end: that is the node that has few of them."""
_SCORES = """
    UNWIND $rows AS row
    MATCH (e:StoicEvaluation {id: row.trial_id})
    MERGE (s:VirtueScore {id: row.id})
    SET s.virtue = row.virtue, s.score = row.score, s.confidence = row.confidence, s.reasoning = row.reasoning,
        s.examples = row.examples, s.suggestions = row.suggestions
    MERGE (e)-[:HAS_VIRTUE_SCORE]->(s)
"""
_TRENDS = f"""
    UNWIND $rows AS row
    MERGE (a:Agent {{id: $agent}}) ON CREATE SET a.made_by = '{MADE_BY}'
    MERGE (t:VirtueTrend {{id: row.id}})
    SET t.virtue = row.virtue, t.n = row.n, t.mean = row.mean, t.slope = row.slope, t.trend = row.trend,
        t.agent_version = row.agent_version, t.updated_at = row.updated_at, t.offline = row.offline
    MERGE (a)-[:HAS_VIRTUE_TREND {{id: row.id}}]->(t)
"""
_FORMER_TRENDS = """
    MATCH (:Agent {id: $agent})-[:HAS_VIRTUE_TREND]->(t:VirtueTrend)
    WHERE NOT t.id IN $trends
    DETACH DELETE t
"""
_FORMER_FITNESS = f"""
    MATCH (f:FitnessUpdate {{evaluation_id: $evaluation_id}})
    WHERE f.made_by = '{MADE_BY}' AND f.agent_version = $version AND f.id <> $id
    DETACH DELETE f
"""
_FITNESS = f"""
    MERGE (f:FitnessUpdate {{id: $id}}) ON CREATE SET f.made_by = '{MADE_BY}'
    SET f.fitness = $fitness, f.agent_version = $version, f.evaluation_id = $evaluation_id, f.offline = $offline,
        f.scale = $scale, f.fitness_low = $fitness_low, f.fitness_high = $fitness_high
"""
_DERIVED = """
    UNWIND $trials AS trial
    MATCH (f:FitnessUpdate {id: $id}), (e:StoicEvaluation {id: trial})
    MERGE (e)<-[:DERIVED_FROM]-(f)
"""


async def prepare(graph: Graph) -> None:
    """Makes ids unique. It must be called before the first write: a later constraint would pin the types it finds."""
    nodes = [(label, f"(x:{label})") for label in LABELS]
    links = [(kind, f"()-[x:{kind}]-()") for kind in SHARED_LINKS]
    for name, pattern in nodes + links:
        await graph.write(
            f"CREATE CONSTRAINT stoic_{name.lower()}_id IF NOT EXISTS FOR {pattern} REQUIRE x.id IS UNIQUE"
        )


async def project_version(
    graph: Graph, agent_version: str, released_at: datetime | str | None, parents: Sequence[str]
) -> None:
    """A version, its agent and its parents; versions and parents are `agent@version`.

    Former parents of which nothing else is known are removed.
    """
    await ensure_version(graph, agent_version)
    released = {"version": agent_version, "released_at": utc_text(released_at) if released_at else None}
    await graph.write(_RELEASE, released)
    former = await graph.write(_FORMER_PARENTS, {"version": agent_version, "parents": list(parents)})
    if former:
        await graph.write(_NAMED_NO_MORE, {"former": [row["id"] for row in former]})
    for parent in parents:
        await ensure_version(graph, parent)
        await graph.write(_PARENT, {"version": agent_version, "parent": parent})


async def fit_evaluation_ids(graph: Graph, agent_version: str) -> set[str]:
    """The evaluations of a version that have a fitness: it is written last, so that these are there as a whole."""
    return {row["id"] for row in await graph.write(_FIT, {"version": agent_version})}


async def evaluation_ids(graph: Graph, agent_version: str) -> set[str]:
    """The evaluations of a version of which there is any trial, or any feedback."""
    return {row["id"] for row in await graph.write(_THERE, {"version": agent_version})}


async def project_evaluations(
    graph: Graph,
    head: EvaluationHead,
    evaluations: Sequence[StoicEvaluation],
    outcomes: Mapping[str, Row] | None = None,
) -> None:
    """All scored trials of one evaluation with their virtue scores; other nodes of an earlier judging are removed.

    `outcomes` contains, by trial, `composite_score`, `task_score` and `assertion_score` (0–1), and `failed_assertions`,
    the texts of those that failed. People's feedback has none.
    """
    scores = [row for each in evaluations for row in _score_rows(each)]
    place = {"version": head.agent_version, "evaluation_id": head.evaluation_id, "offline": head.offline}
    await ensure_version(graph, head.agent_version)
    await graph.write(_FORMER_SCORES, place | {"scores": {row["id"]: True for row in scores}})
    await graph.write(_FORMER_EVALUATIONS, place | {"trials": {each.id: True for each in evaluations}})
    rows = [{**_evaluation_row(each), **(outcomes or {}).get(each.id, {})} for each in evaluations]
    await _write_rows(graph, _EVALUATIONS, rows, place)
    await _write_rows(graph, _SCORES, scores, {})


async def project_trends(graph: Graph, agent: str, rows: Iterable[Row]) -> None:
    """The newest trend of each virtue of an agent, from its rows of `virtue_trends`; trends without a row are removed.

    It is of the newest version in which the virtue was scored, and names it. Each row also says whether its evaluation
    is `offline`.
    """
    newest = {f"{agent}/{row['virtue']}": row for row in sorted(rows, key=lambda row: row["n"])}
    await graph.write(_FORMER_TRENDS, {"agent": agent, "trends": list(newest)})
    await _write_rows(graph, _TRENDS, [_trend_row(key, row) for key, row in newest.items()], {"agent": agent})


async def project_fitness(graph: Graph, head: EvaluationHead, rows: Iterable[Row]) -> None:
    """The rows of `fitness_updates` of one evaluation: one with a fitness replaces the former, others remove it.

    The evaluation must have been projected before.
    """
    for row in rows:
        place = {
            "id": row["idempotency_key"], "version": head.agent_version, "evaluation_id": head.evaluation_id,
            "offline": head.offline, "trials": list(row["trial_ids"]),
            **{key: row[key] for key in ("fitness", "fitness_low", "fitness_high", "scale")},
        }
        scored = row["fitness"] is not None
        await graph.write(_FORMER_FITNESS, place if scored else place | {"id": ""})
        if scored:
            await graph.write(_FITNESS, place)
            await graph.write(_DERIVED, place)


async def ensure_version(graph: Graph, agent_version: str) -> None:
    """A version and its agent, with whatever is known of them already."""
    await graph.write(_VERSION, {"agent": agent_of(agent_version), "version": agent_version})


async def _write_rows(graph: Graph, cypher: str, rows: Sequence[Row], place: Row) -> None:
    for start in range(0, len(rows), BATCH):
        await graph.write(cypher, {**place, "rows": rows[start : start + BATCH]})


def _evaluation_row(evaluation: StoicEvaluation) -> dict[str, Any]:
    return {
        "id": evaluation.id, "task_id": evaluation.task_id, "source": evaluation.source,
        "timestamp": evaluation.head.timestamp, "holdout": evaluation.holdout,
        "overall_score": evaluation.overall_score, "overall_confidence": evaluation.overall_confidence,
    }


def _score_rows(evaluation: StoicEvaluation) -> list[Row]:
    return [
        {
            "id": f"{evaluation.id}/{virtue}", "trial_id": evaluation.id, "virtue": virtue, "score": found.score,
            "confidence": found.confidence, "reasoning": found.reasoning,
            "examples": list(found.supporting_examples), "suggestions": list(found.improvement_suggestions),
        }
        for virtue, found in evaluation.virtue_scores.items()
    ]


def _trend_row(key: str, row: Row) -> Row:
    return {
        "id": key, "virtue": row["virtue"], "n": row["n"], "mean": row["mean"],
        "slope": row["slope"], "trend": row["trend"], "agent_version": row["agent_version"],
        "updated_at": utc_text(row["evaluated_at"]), "offline": row["offline"],
    }
