"""Writes what the warehouse knows of a version, and of an evaluation, into the stoic graph.

The statements are in `stoic_graph`; this module decides what of the warehouse is written, and in which order.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import TypeVar

from stoic_assets.adapters.disk.release_files import as_released
from stoic_assets.adapters.evaluation.human_evaluations import human_evaluations
from stoic_assets.adapters.evaluation.publication import judged_trials
from stoic_assets.adapters.graph import stoic_graph, stoic_graph_deletion
from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.graph.graphs import Graphs
from stoic_assets.adapters.graph.stoic_graph_place import refuse_unfit
from stoic_assets.adapters.process.interrupts import run_async
from stoic_assets.adapters.warehouse.damaged_files import DamagedFile
from stoic_assets.adapters.warehouse.stored_tables import StoredTables
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.assertions.counting import has_failed
from stoic_assets.core.errors import TableMissing
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.status import WITH_SCORES
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation
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
    released = _evaluated_as(workplace.warehouse.evaluations(agent_version)) or of_release

    async def work(graph: Graph) -> None:
        if released:
            await stoic_graph.project_version(graph, agent_version, *released)
        else:
            await stoic_graph.ensure_version(graph, agent_version)

    _in_stoic_graph(workplace, work, at_first=True)
    return released


def project(workplace: Workplace, manifest: Manifest) -> dict[str, int]:
    """Writes an evaluation, its fitness, and people's words and trends into the stoic graph; returns what was written.

    Before it the other evaluations of its version that have scores and are not there: that graph may have been lost.
    Raises `TableMissing`, after all of these, for an evaluation without scores.
    """
    version, warehouse = manifest.agent_version, workplace.warehouse
    stored, people = warehouse.evaluations(version), human_evaluations(workplace, version)
    of_release = as_released(workplace.project.releases, manifest)
    released = _evaluated_as(stored) or (of_release.released_at, of_release.parents)
    others = [row for row in stored if row["evaluation_id"] != manifest.evaluation_id]

    async def work(graph: Graph) -> dict[str, int]:
        async with _alone(workplace):
            await stoic_graph.project_version(graph, version, *released)
            await _project_people(graph, manifest, people)
            restored = await _restore(workplace, graph, others)
            trends = await _project_trends(workplace, version, graph)
            [head] = warehouse.read("evaluations", version, manifest.evaluation_id)
            everybody = [*await _project_evaluation(workplace, graph, head), *people]
        return {
            "stoic_evaluations": len(everybody), "virtue_scores": sum(len(each.virtue_scores) for each in everybody),
            "virtue_trends": trends, "restored_evaluations": restored,
        }  # fmt: skip

    return _in_stoic_graph(workplace, work)


async def _restore(workplace: Workplace, graph: Graph, others: Sequence[Row]) -> int:
    """Writes those rows of `evaluations`, all of one version, that have scores and no nodes; returns how many.

    One without an update was never projected: another run may be about to.
    """
    restored = 0
    for row in await _lacking(workplace, graph, others):
        try:
            await _project_evaluation(workplace, graph, row)
            restored += 1
        except (TableMissing, DamagedFile) as error:  # it must not keep the current one out
            workplace.progress.note(f"{row['evaluation_id']} is not written into the stoic graph again: {error}")
    return restored


async def _lacking(workplace: Workplace, graph: Graph, others: Sequence[Row]) -> list[Row]:
    """Those to be restored. Trials, of which a version may have thousands, are only looked for where need be."""
    scored = [row for row in others if row["status"] in WITH_SCORES and row["scored_trials"]]
    fit = await stoic_graph.fit_evaluation_ids(graph, scored[0]["agent_version"]) if scored else set()
    unfit = [row for row in scored if row["evaluation_id"] not in fit]
    there = await stoic_graph.evaluation_ids(graph, unfit[0]["agent_version"]) if unfit else set()

    def lacks(row: Row) -> bool:
        update = _stored(workplace, row).read_if_stored("fitness_updates", ("fitness",))
        return bool(update) and (row["evaluation_id"] not in there or update[0]["fitness"] is not None)

    return [row for row in unfit if lacks(row)]


async def _project_evaluation(workplace: Workplace, graph: Graph, row: Row) -> list[StoicEvaluation]:
    """Writes the evaluation of a row of `evaluations` with its fitness; returns its scored trials."""
    head = EvaluationHead(row["agent_version"], row["evaluation_id"], row["started_at"], offline=row["offline"])
    stored = _stored(workplace, row)
    evaluations, outcomes, fitness = judged_trials(stored, head), _outcomes(stored), stored.read("fitness_updates")
    await stoic_graph.project_evaluations(graph, head, evaluations, outcomes)
    await stoic_graph.project_fitness(graph, head, fitness)
    return evaluations


def _stored(workplace: Workplace, row: Row) -> StoredTables:
    """The tables of the evaluation of a row of `evaluations`."""
    return StoredTables(workplace.warehouse, (row["agent_version"], row["evaluation_id"]))


async def _project_people(graph: Graph, manifest: Manifest, people: Sequence[StoicEvaluation]) -> None:
    """Writes what people found about the version of an evaluation, and removes what they said before."""
    for evaluation_id in (FEEDBACK, RATINGS):
        found = [each for each in people if each.head.evaluation_id == evaluation_id]
        place = EvaluationHead(manifest.agent_version, evaluation_id, manifest.started_at)
        await stoic_graph.project_evaluations(graph, place, found)


def _evaluated_as(newest_first: Sequence[Row]) -> Released | None:
    """Date and parents of a version, each from its newest evaluation that names them, as trends take them."""
    named = [row for row in newest_first if row["released_at"] or row["parents"]]
    date = next((row["released_at"] for row in named if row["released_at"]), None)
    return (date, named[0]["parents"] or ()) if named else None


def _outcomes(stored: StoredTables) -> dict[str, Row]:
    """The results of each trial besides its virtue scores: the scores in one number, and the failed assertions."""
    failed = by_trial(filter(has_failed, stored.read("assertion_results", ("trial_id", "text", "weight", "passed"))))
    return {
        row["trial_id"]: {
            "composite_score": row["overall"], "task_score": row["task"], "assertion_score": row["assertion"],
            "failed_assertions": [result["text"] for result in failed[row["trial_id"]]],
        }
        for row in stored.read("composite_scores", ("trial_id", "overall", "task", "assertion"))
    }


def delete_from_graph(workplace: Workplace, agent_version: str) -> None:
    """Removes a version from the stoic graph; the agent's trends become those of the versions in the warehouse."""

    async def work(graph: Graph) -> None:
        async with _alone(workplace):
            await _project_trends(workplace, agent_version, graph)
        await stoic_graph_deletion.delete_version(graph, agent_version)

    _in_stoic_graph(workplace, work)


def _alone(workplace: Workplace) -> AbstractAsyncContextManager[None]:
    """Lets one process at a time write evaluations and trends.

    Else the last to write trends may have read before the other's version came, or went; and two that write the same
    evaluation, one of them to restore it, would make its relationships twice.
    """
    line = "another process writes into the stoic graph; this waits for that"
    return workplace.in_turn("stoic_graph", line)


async def _project_trends(workplace: Workplace, agent_version: str, graph: Graph) -> int:
    """Replaces the agent's trends by those of the warehouse and returns how many there are."""
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
