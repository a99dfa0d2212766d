"""One evaluation while its conversations are held, with what these need from outside.

`conversations` decides which evaluations are held together, and stores them.
"""

from contextlib import suppress

from stoic_assets.adapters.agents.connect import connect_agent
from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.http.request_limit import RequestLimits
from stoic_assets.adapters.process.wall_clock import now
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calls.chat import BudgetReached
from stoic_assets.core.conversation.conversation import former_end, hold_trial
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.conversation.world import World
from stoic_assets.core.errors import StoicError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.plan import Planned


class EvaluationUnderway:
    """The conversations of an evaluation: an agent for each job, a limit for each host, one model for all.

    An error ends them: that of an evaluation `alone` is raised at once, otherwise it becomes the result. Once they have
    spent up to the cost ceiling, no further trial begins, and the rest is left for a later run.
    """

    def __init__(
        self, workplace: Workplace, manifest: Manifest, graph: Graph, max_cost: float | None,
        limits: RequestLimits, alone: bool,
    ) -> None:
        self.manifest, self.plan = manifest, manifest.spec.plan(manifest.evaluation_id)
        self._workplace, self._graph, self._alone = workplace, graph, alone
        self._model = workplace.model(manifest, max_cost)
        self._outages: list[str] = []
        self._journals = workplace.evidence.journals(manifest)
        self._of_job = {job.name: self._world(job, limits) for job in manifest.spec.jobs}
        self._evidence: dict[str, Evidence] = {}
        self._fault: StoicError | None = None
        self._spent = False

    async def hold(self, item: Planned) -> None:
        """Holds one trial, unless a fault has ended the others, and keeps its evidence if it ended."""
        if self._fault is not None:
            return
        try:
            if evidence := await self._held_or_former(item):
                self._evidence[item.trial.trial_id] = evidence
        except StoicError as fault:
            if self._alone:
                raise  # there are no other evaluations to protect: cancel what is running
            self._fault = fault

    def result(self) -> list[Evidence] | StoicError:
        """The evidence of the trials that ended, in the order of the plan, or the fault that ended the evaluation."""
        ids = (item.trial.trial_id for item in self.plan)
        return self._fault or [self._evidence[trial_id] for trial_id in ids if trial_id in self._evidence]

    async def _held_or_former(self, item: Planned) -> Evidence | None:
        """The evidence of a trial; once the cost ceiling is reached, what earlier runs have of it, if it ended."""
        world, journal = self._of_job[item.job.name], self._journals.of(item.trial.trial_id)
        with suppress(BudgetReached):
            if not self._spent:
                evidence = await hold_trial(item, world, journal)
                self._workplace.progress.advance("conversations")
                return evidence
        self._spent = True
        return former_end(item, world, journal)

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
