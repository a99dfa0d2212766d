"""Writes what the warehouse knows of a version, and of an evaluation, into the stoic graph.

The statements are in `stoic_graph`; this module decides what of the warehouse is written, and in which order.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TypeVar

from stoic_assets.adapters.disk.release_files import as_released
from stoic_assets.adapters.evaluation.human_evaluations import human_evaluations
from stoic_assets.adapters.evaluation.publication import Publication
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.graph import stoic_graph, stoic_graph_deletion
from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.graph.graphs import Graphs
from stoic_assets.adapters.graph.stoic_graph_place import refuse_unfit
from stoic_assets.adapters.process.interrupts import run_async
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.assertions.counting import has_failed
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead
from stoic_assets.core.feedback.human_evaluation import FEEDBACK, RATINGS
from stoic_assets.core.releases import Release, agent_of
from stoic_assets.core.table_rows import Row, by_trial

T = TypeVar("T")
Released = tuple[datetime | str | None, Sequence[str]]
"""Date and parents of a version."""


def introduce_version(workplace: Workplace, agent_version: str, release: Release | None) -> Released | None:
    """Gives a version its node in the stoic graph, with date and parents, which are returned.

    They are those of its evaluations, else of its release; without either it keeps its own. Raises
    `ConfigurationError` where that graph has no place, see `refuse_unfit`.
    """
    of_release = (release.released_at, release.parent_versions) if release else None
    released = _evaluated_as(workplace, agent_version) or of_release

    async def work(graph: Graph) -> None:
        if released:
            await stoic_graph.project_version(graph, agent_version, *released)
        else:
            await stoic_graph.ensure_version(graph, agent_version)

    _in_stoic_graph(workplace, work, at_first=True)
    return released


def project(workplace: Workplace, manifest: Manifest) -> dict[str, int]:
    """Writes an evaluation, its fitness and the agent's trends into the stoic graph; returns what was written."""
    publication = Publication(workplace, manifest)
    head, evaluations, tables = publication.head, publication.evaluations, publication.tables
    outcomes, fitness = _outcomes(tables), tables.read("fitness_updates")
    people = human_evaluations(workplace, manifest.agent_version)
    of_release = as_released(workplace.project.releases, manifest)
    released = _evaluated_as(workplace, manifest.agent_version) or (of_release.released_at, of_release.parents)

    async def work(graph: Graph) -> int:
        await stoic_graph.project_version(graph, head.agent_version, *released)
        await stoic_graph.project_evaluations(graph, head, evaluations, outcomes)
        for evaluation_id in (FEEDBACK, RATINGS):
            found = [each for each in people if each.head.evaluation_id == evaluation_id]
            place = EvaluationHead(head.agent_version, evaluation_id, head.time)
            await stoic_graph.project_evaluations(graph, place, found)
        await stoic_graph.project_fitness(graph, head, fitness)
        return await _project_trends(workplace, head.agent_version, graph)

    trends = _in_stoic_graph(workplace, work)
    everybody = [*evaluations, *people]
    scores = sum(len(evaluation.virtue_scores) for evaluation in everybody)
    return {"stoic_evaluations": len(everybody), "virtue_scores": scores, "virtue_trends": trends}


def _evaluated_as(workplace: Workplace, agent_version: str) -> Released | None:
    """Date and parents of a version, each from its newest evaluation that names them, as trends take them."""
    newest_first = workplace.warehouse.evaluations(agent_version)
    named = [row for row in newest_first if row["released_at"] or row["parents"]]
    date = next((row["released_at"] for row in named if row["released_at"]), None)
    return (date, named[0]["parents"] or ()) if named else None


def _outcomes(tables: EvaluationTables) -> dict[str, Row]:
    """The results of each trial besides its virtue scores: the scores in one number, and the failed assertions."""
    results = tables.read("assertion_results", ("trial_id", "text", "weight", "passed"))
    failed = by_trial(filter(has_failed, results))
    return {
        row["trial_id"]: {
            "composite_score": row["overall"], "task_score": row["task"], "assertion_score": row["assertion"],
            "failed_assertions": [result["text"] for result in failed[row["trial_id"]]],
        }
        for row in tables.read("composite_scores", ("trial_id", "overall", "task", "assertion"))
    }


def delete_from_graph(workplace: Workplace, agent_version: str) -> None:
    """Removes a version from the stoic graph; the agent's trends become those of the versions in the warehouse."""

    async def work(graph: Graph) -> None:
        await _project_trends(workplace, agent_version, graph)
        await stoic_graph_deletion.delete_version(graph, agent_version)

    _in_stoic_graph(workplace, work)


async def _project_trends(workplace: Workplace, agent_version: str, graph: Graph) -> int:
    """Replaces the agent's trends by those of the warehouse and returns how many there are.

    Only one process does so at a time: else the last to write may have read before the other's version came, or went.
    """
    line = "another process writes trends into the stoic graph; this waits for that"
    async with workplace.in_turn("stoic_graph", line):
        trends = _trends(workplace, agent_version)
        await stoic_graph.project_trends(graph, agent_of(agent_version), trends)
    return len(trends)


def _trends(workplace: Workplace, agent_version: str) -> list[Row]:
    """The trends of all versions of its agent, and whether they are from offline evaluations."""
    return workplace.warehouse.query(
        "select trends.*, evaluations.offline from virtue_trends as trends "
        "inner join evaluations using (agent_version, evaluation_id) where trends.agent = ?",
        [agent_of(agent_version)],
    )


def _in_stoic_graph(workplace: Workplace, work: Callable[[Graph], Awaitable[T]], at_first: bool = False) -> T:
    async def connected(graphs: Graphs) -> T:
        await graphs.stoic.ping()
        if at_first:
            await refuse_unfit(graphs, workplace.env)
        await stoic_graph.prepare(graphs.stoic)
        return await work(graphs.stoic)

    with workplace.graphs() as graphs:
        return run_async(connected(graphs))
