"""The conversations of one evaluation: begun or taken up again, held on real agents and graphs, and stored."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from stoic_assets.adapters.agents.connect import connect_agent
from stoic_assets.adapters.agents.knowledge_context import create_knowledge_context
from stoic_assets.adapters.bolt import Graph
from stoic_assets.adapters.evaluation_setup import Setup, check_reachable, set_up
from stoic_assets.adapters.evaluation_tables import EvaluationTables
from stoic_assets.adapters.graphs import Graphs
from stoic_assets.adapters.models.connect import is_offline
from stoic_assets.adapters.request_limit import RequestLimit
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.conversation.conversation import hold_trial
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.conversation.rows import observation_rows, trial_row, turn_rows
from stoic_assets.core.conversation.trials import hold_all
from stoic_assets.core.conversation.world import World
from stoic_assets.core.evaluation import EvaluationRequest, Manifest, refuse_change
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.plan import Planned


@dataclass(frozen=True)
class Held:
    """What came of an evaluation's conversations: its trial rows, and the files they and the rest were written to."""

    manifest: Manifest
    planned: int
    trials: list[dict[str, Any]]
    files: dict[str, Path]


async def hold_evaluation(
    workplace: Workplace, agent_version: str, evaluation_id: str, run_id: str, request: EvaluationRequest,
    at_once: int | None = None, max_cost: float | None = None,
) -> Held:
    """Holds what is not held yet of an evaluation, and stores its evidence.

    Raises `ConfigurationError`, `ServiceUnreachable`; the cost ceiling ends it early, with what is held stored.
    """
    setup = set_up(request, agent_version, workplace.project, workplace.settings, workplace.env, max_cost)
    with workplace.evidence.locked(agent_version, evaluation_id):
        manifest = begin_or_resume(workplace, agent_version, evaluation_id, run_id, setup)
        with workplace.graphs() as graphs:
            await check_reachable(setup.spec, workplace.env)
            evidence = await _converse(workplace, manifest, graphs, at_once, max_cost)
        return _store(workplace, manifest, evidence)


def begin_or_resume(
    workplace: Workplace, agent_version: str, evaluation_id: str, run_id: str, setup: Setup
) -> Manifest:
    """The manifest of this evaluation: the stored one if it was begun with the same specification, else a new one."""
    begun = workplace.evidence.manifest(agent_version, evaluation_id)
    if begun is not None:
        refuse_change(begun.spec, setup.spec)
        return begun.model_copy(update={"spec": setup.spec})  # the same, with the headers that are never stored
    release = setup.release
    manifest = Manifest(
        evaluation_id=evaluation_id, agent_version=agent_version, started_at=now(), run_id=run_id,
        offline=is_offline(workplace.env), spec=setup.spec, spec_hash=setup.spec.hash(),
        released_at=release.released_at if release else None,
        parents=tuple(f"{release.agent}@{version}" for version in release.parents) if release else (),
    )
    workplace.evidence.begin(manifest)
    return manifest


def now() -> str:
    """UTC, ISO 8601."""
    return datetime.now(UTC).isoformat()


async def _converse(
    workplace: Workplace, manifest: Manifest, graphs: Graphs, at_once: int | None, max_cost: float | None
) -> list[Evidence]:
    planned = manifest.spec.plan(manifest.evaluation_id)
    workplace.progress.begin("conversations", len(planned))
    await _announce(workplace, manifest)
    _import_clients(manifest.offline)
    worlds = _Worlds(workplace, manifest, graphs.subject, max_cost)
    together = at_once or workplace.settings.conversations.at_once
    try:
        await graphs.subject.ping()
        return await hold_all(planned, worlds.hold, together, workplace.graph_access)
    finally:
        await worlds.close()


def _import_clients(offline: bool) -> None:
    """Imported in the midst of conversations they would hold the loop, and lengthen reply times by 0.3 to 0.6 s."""
    import aiohttp  # noqa: F401

    if not offline:
        import httpx2  # noqa: F401
        import openai.types.chat  # noqa: F401


async def _announce(workplace: Workplace, manifest: Manifest) -> None:
    if url := workplace.env.get("BOOGIE_URL"):
        about = f"Stoic Eval of {manifest.agent_version}"
        await create_knowledge_context(
            url, f"stoic-{manifest.evaluation_id}", about, workplace.env.get("AGENT_API_KEY")
        )


class _Worlds:
    """The outside of each job's conversations: one agent a job, one limit an address, one model for all."""

    def __init__(self, workplace: Workplace, manifest: Manifest, graph: Graph, max_cost: float | None) -> None:
        self._workplace, self._manifest, self._graph = workplace, manifest, graph
        self._model = workplace.model(manifest, max_cost)
        limit = workplace.settings.limits.agent
        self._limits = {address: RequestLimit(limit) for address in manifest.spec.addresses.values()}
        self._of_job = {job.name: self._world(job) for job in manifest.spec.jobs}

    async def hold(self, planned: Planned) -> Evidence:
        """Holds one trial and reports that it is over."""
        journal = self._workplace.evidence.journal(self._manifest, planned.trial.trial_id)
        evidence = await hold_trial(planned, self._of_job[planned.job.name], journal)
        self._workplace.progress.advance("conversations")
        return evidence

    async def close(self) -> None:
        """Closes the connections to graph and agents; nobody else would before their loop ends."""
        for world in self._of_job.values():
            await world.agent.close()
        await self._graph.aclose()

    def _world(self, job: Job) -> World:
        settings, spec = self._workplace.settings, self._manifest.spec
        address, timeout = spec.addresses[job.name], settings.limits.agent.timeout_seconds
        return World(
            agent=connect_agent(job.target, address, spec.agent_model, self._workplace.env, timeout),
            agent_limit=self._limits[address], graph=self._graph, model=self._model,
            evaluator_model=spec.evaluator_model, settings=settings, agent_version=self._manifest.agent_version,
            now=now, on_turn=self._workplace.progress.turn,
        )


def _store(workplace: Workplace, manifest: Manifest, evidence: list[Evidence]) -> Held:
    jobs = {job.name: job for job in manifest.spec.jobs}
    tables = {
        "trials": [trial_row(e, jobs[e.trial.job]) for e in evidence],
        "turns": [row for e in evidence for row in turn_rows(e)],
        "observations": [row for e in evidence for row in observation_rows(e)],
    }
    planned = len(manifest.spec.plan(manifest.evaluation_id))
    store = EvaluationTables(workplace, manifest)
    files = {table: store.write(table, rows) for table, rows in tables.items()}
    files["llm_calls"] = store.write_calls()
    files["evaluations"] = store.write_head("conversed", planned_trials=planned)
    return Held(manifest, planned, tables["trials"], files)
