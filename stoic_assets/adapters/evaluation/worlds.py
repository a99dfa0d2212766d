"""What the conversations of one evaluation need from outside: its agents, graph, model and journals.

`conversations` decides which evaluations are held together, and stores them.
"""

from stoic_assets.adapters.agents.connect import connect_agent
from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.http.request_limit import RequestLimits
from stoic_assets.adapters.process.wall_clock import now
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.conversation.conversation import former_end, hold_trial
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.conversation.world import World
from stoic_assets.core.errors import StoicError
from stoic_assets.core.evaluation import Manifest
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.plan import Planned


class Worlds:
    """The outside of an evaluation's conversations: an agent for each job, a limit for each host, one model for all.

    `evidence` is that of its trials, `fault` the error that ended them early; once they have `spent` up to the cost
    ceiling, no further trial begins, and the rest is left for a later run.
    """

    def __init__(
        self, workplace: Workplace, manifest: Manifest, graph: Graph, max_cost: float | None,
        limits: RequestLimits,
    ) -> None:
        self.manifest, self.plan = manifest, manifest.spec.plan(manifest.evaluation_id)
        self.evidence: list[Evidence] = []
        self.fault: StoicError | None = None
        self.spent = False
        self._workplace, self._graph = workplace, graph
        self._model = workplace.model(manifest, max_cost)
        self._outages: list[str] = []
        self._journals = workplace.evidence.journals(manifest)
        self._of_job = {job.name: self._world(job, limits) for job in manifest.spec.jobs}

    async def hold(self, planned: Planned) -> Evidence:
        """Holds one trial and reports its end."""
        journal = self._journals.of(planned.trial.trial_id)
        evidence = await hold_trial(planned, self._of_job[planned.job.name], journal)
        self._workplace.progress.advance("conversations")
        return evidence

    def former(self, planned: Planned) -> Evidence | None:
        """The evidence that earlier runs have of a trial that is not held again; None if it never ended."""
        journal = self._journals.of(planned.trial.trial_id)
        return former_end(planned, self._of_job[planned.job.name], journal)

    async def close(self) -> None:
        """Closes the journals, and the connections to agents, which would stay open until the event loop ends."""
        self._journals.close()
        for world in self._of_job.values():
            await world.agent.close()

    def _world(self, job: Job, limits: RequestLimits) -> World:
        settings, spec = self._workplace.settings, self.manifest.spec
        address = spec.addresses[job.name]
        return World(
            agent=connect_agent(
                job.target, address, spec.agent_model, self._workplace.env, settings.limits.agent,
                self._workplace.redactor,
            ),
            agent_limit=limits.at(address), graph=self._graph, model=self._model,
            evaluator_model=spec.evaluator_model, settings=settings, agent_version=self.manifest.agent_version,
            now=now, on_turn=self._workplace.progress.turn, on_query=self._workplace.progress.query,
            attempt_seconds=job.target.timeout_seconds or 0.0, outages=self._outages,
        )
