"""What leaves an evaluation: the fitness update, the events, and the projection into the stoic graph."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from stoic_assets.adapters import stoic_graph
from stoic_assets.adapters.bolt import Graph
from stoic_assets.adapters.evaluation_tables import EvaluationTables
from stoic_assets.adapters.outbox import Delivered
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation import Manifest
from stoic_assets.core.evolution.events import Event, applied, completed
from stoic_assets.core.evolution.fitness import FitnessUpdate, fitness_update
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation, stoic_evaluations


@dataclass(frozen=True)
class Published:
    """The update of an evaluation, how delivery went, and the files its rows were written to.

    An evaluation with too many invalid trials is not `conclusive`: nothing of its fitness leaves.
    """

    update: FitnessUpdate
    conclusive: bool
    delivery: Delivered
    files: dict[str, Path]


def read_evaluations(workplace: Workplace, manifest: Manifest) -> tuple[EvaluationHead, list[StoicEvaluation]]:
    """The scored trials of an evaluation as the judges saw them."""
    tables = EvaluationTables(workplace, manifest)
    [evaluation] = tables.read("evaluations")
    head = EvaluationHead(
        manifest.agent_version, manifest.evaluation_id, manifest.started_at, offline=evaluation["offline"]
    )
    names = ("trials", "composite_scores", "trial_virtues", "virtue_scores")
    return head, stoic_evaluations(head, *[tables.read(name) for name in names])


async def publish(workplace: Workplace, manifest: Manifest) -> Published:
    """Puts fitness update and events into the outbox, delivers what has an address, and stores both tables."""
    head, evaluations = read_evaluations(workplace, manifest)
    update = fitness_update(head, evaluations, workplace.settings.weakness)
    tables, outbox = EvaluationTables(workplace, manifest), workplace.outbox
    conclusive = tables.read("evaluation_scores")[0]["conclusive"]
    events = [completed(evaluation) for evaluation in evaluations]
    if conclusive and (of_evaluation := applied(update)) is not None:
        events.append(of_evaluation)
    delivery = await _deliver(workplace, manifest.agent_version, update if conclusive else None, events)
    files = {
        "fitness_updates": tables.write(
            "fitness_updates", [update.row(outbox.delivered_at("fitness", update.idempotency_key))]
        ),
        "events": tables.write("events", [event.row(outbox.delivered_at("events", event.id)) for event in events]),
    }
    return Published(update, conclusive, delivery, files)


async def _deliver(
    workplace: Workplace, version: str, update: FitnessUpdate | None, events: list[Event]
) -> Delivered:
    outbox, clean = workplace.outbox, workplace.redactor.data
    if update is not None and update.deliverable:
        outbox.put("fitness", update.idempotency_key, clean(update.payload()), version)
    for event in events:
        outbox.put("events", event.id, clean(event.document()), version)
    env = workplace.env
    return await outbox.deliver({"events": env.get("STOIC_WEBHOOK_URL", ""), "fitness": env.get("EVOLUTION_URL", "")})


def project(workplace: Workplace, manifest: Manifest) -> dict[str, int]:
    """Brings an evaluation, its fitness and the agent's trends into the stoic graph; returns what was written."""
    head, evaluations = read_evaluations(workplace, manifest)
    trends = workplace.warehouse.query("select * from virtue_trends where agent = ?", [head.agent_id])
    fitness = EvaluationTables(workplace, manifest).read("fitness_updates")
    keyed = [{**row, "agent_version": head.agent_version, "evaluation_id": head.evaluation_id} for row in fitness]

    async def work(graph: Graph) -> None:
        await stoic_graph.prepare(graph)
        await stoic_graph.project_version(graph, head.agent_version, manifest.released_at, manifest.parents)
        await stoic_graph.project_evaluations(graph, head, evaluations)
        await stoic_graph.project_trends(graph, trends)
        await stoic_graph.project_fitness(graph, keyed)

    _in_stoic_graph(workplace, work)
    scores = sum(len(evaluation.virtue_scores) for evaluation in evaluations)
    return {"stoic_evaluations": len(evaluations), "virtue_scores": scores, "virtue_trends": len(trends)}


def delete_from_graph(workplace: Workplace, agent_version: str) -> None:
    """Removes a version from the stoic graph."""
    _in_stoic_graph(workplace, lambda graph: stoic_graph.delete_version(graph, agent_version))


def _in_stoic_graph(workplace: Workplace, work: Callable[[Graph], Awaitable[None]]) -> None:
    async def connected(graph: Graph) -> None:
        await graph.ping()
        await work(graph)

    with workplace.graphs() as graphs:
        asyncio.run(connected(graphs.stoic))
