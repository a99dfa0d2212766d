"""A projection of evaluations of an agent that no other test knows."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from stoic_assets.adapters.graph import stoic_graph, stoic_graph_deletion
from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.core.evolution.fitness import fitness_update
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation, VirtueFinding
from stoic_assets.core.virtues import VIRTUES, Virtue

OURS = "(n.id STARTS WITH $agent OR n.agent_version STARTS WITH $agent)"
Step = Callable[[Graph], Awaitable[None]]


@dataclass(frozen=True)
class Projection:
    """A graph in which this test owns everything whose id begins with `agent`: a server of the user's may hold more."""

    graph: Graph
    agent: str

    @property
    def head(self) -> EvaluationHead:
        return EvaluationHead(f"{self.agent}@1.1.0", f"{self.agent}-night", "2026-03-01T02:00:00Z")

    def run(self, *steps: Step) -> None:
        async def main() -> None:
            for step in steps:
                await step(self.graph)

        asyncio.run(main())

    def at_once(self, *steps: Step) -> None:
        async def main() -> None:
            await asyncio.gather(*(step(self.graph) for step in steps))

        asyncio.run(main())

    def rows(self, cypher: str) -> list[dict[str, Any]]:
        return asyncio.run(self.graph.write(cypher, {"agent": self.agent}))

    def census(self) -> dict[str, int]:
        """How many nodes of each label and relationships of each type there are."""
        nodes = self.rows(f"MATCH (n) WHERE {OURS} RETURN labels(n)[0] AS kind, count(*) AS many")
        links = self.rows(f"MATCH (n)-[r]->() WHERE {OURS} RETURN type(r) AS kind, count(*) AS many")
        return {row["kind"]: row["many"] for row in nodes + links}

    def evaluation(self, number: int, virtues: tuple[Virtue, ...] = VIRTUES, score: float = 0.5) -> StoicEvaluation:
        finding = VirtueFinding(score, "it's \"so\"", ("a quote", "ein Zitat – 引用"), (), 0.9)
        name = f"{self.head.evaluation_id}.{number}"
        return StoicEvaluation(name, self.head, f"{self.agent}-job", dict.fromkeys(virtues, finding), score, 0.9)

    def version(self, *parents: str, released_at: str | None = "2026-02-01T01:00:00+01:00") -> Step:
        """A parent is a version of the same agent, or `agent@version`."""
        parents = tuple(each if "@" in each else f"{self.agent}@{each}" for each in parents)
        return lambda graph: stoic_graph.project_version(graph, self.head.agent_version, released_at, parents)

    def evaluations(self, *evaluations: StoicEvaluation) -> Step:
        return lambda graph: stoic_graph.project_evaluations(graph, self.head, evaluations)

    def fitness(self, *evaluations: StoicEvaluation) -> Step:
        rows = [fitness_update(self.head, evaluations).row()]
        return lambda graph: stoic_graph.project_fitness(graph, self.head, rows)

    def trends(self, *numbers: int) -> Step:
        rows = [
            {
                "agent_version": f"{self.agent}@{n}", "virtue": "wisdom", "n": n, "mean": n / 10,
                "slope": None if n == 1 else 0.1,
                "trend": "improving", "evaluated_at": f"2026-03-0{n}T02:00:00Z", "offline": n == 3,
            }
            for n in numbers
        ]
        return lambda graph: stoic_graph.project_trends(graph, self.agent, rows)

    def delete(self, version: str) -> Step:
        return lambda graph: stoic_graph_deletion.delete_version(graph, f"{self.agent}@{version}")


def everything(projection: Projection) -> list[Step]:
    trials = [projection.evaluation(number) for number in range(3)]
    return [
        projection.version("1.0.0"),
        projection.evaluations(*trials),
        projection.fitness(*trials),
        projection.trends(1, 2),
    ]
