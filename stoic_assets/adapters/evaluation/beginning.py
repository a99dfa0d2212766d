"""How an evaluation begins, or is resumed: what is looked at before its first conversation."""

from contextlib import ExitStack
from dataclasses import dataclass

from stoic_assets.adapters.agents.connect import header_secrets
from stoic_assets.adapters.agents.knowledge_context import ADDRESS, create_knowledge_context
from stoic_assets.adapters.evaluation.readable_tables import refuse_damaged
from stoic_assets.adapters.evaluation.specification import ResolvedRequest, check_reachable, resolve
from stoic_assets.adapters.http.api_keys import api_key
from stoic_assets.adapters.models.connect import uses_stand_in
from stoic_assets.adapters.models.model_list import require_access
from stoic_assets.adapters.process.wall_clock import now
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calls.concurrent_calls import concurrently
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG, EvaluationKey
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.evaluation.resuming import refuse_change
from stoic_assets.core.presentation.formatting import listed


@dataclass(frozen=True)
class Wanted:
    """An evaluation to hold, or to complete. Where only its conversations are held, it may be `judged_by_others`."""

    agent_version: str
    evaluation_id: str
    request: EvaluationRequest
    judged_by_others: bool = False

    @property
    def key(self) -> EvaluationKey:
        """Which evaluation it is."""
        return self.agent_version, self.evaluation_id


async def begin(
    workplace: Workplace, wanted: Wanted, run_id: str, max_cost: float | None, locks: ExitStack
) -> Manifest:
    """The manifest of a wanted evaluation, whose lock is added to `locks`.

    Raises `ConfigurationError`, `ServiceUnreachable` before anything is paid for.
    """
    resolved = resolve(workplace, wanted.request, wanted.agent_version, max_cost)
    for job in resolved.spec.jobs:
        workplace.redactor.learn(header_secrets(job.target, workplace.env))  # an agent may repeat them
    # The judges' key is used only once all conversations are paid for, so it is checked now.
    await concurrently([check_reachable(resolved.spec, workplace.env), require_access(workplace.env)])
    locks.enter_context(workplace.evidence.locked(*wanted.key))
    manifest = begin_or_resume(workplace, wanted, run_id, resolved)
    refuse_damaged(workplace, manifest)
    await _announce(workplace, manifest)
    return manifest


def begin_or_resume(workplace: Workplace, wanted: Wanted, run_id: str, resolved: ResolvedRequest) -> Manifest:
    """The stored manifest of the wanted evaluation, or a new one.

    Raises `ResumeRefused` if its specification is another, `ConfigurationError` if another version has this id.
    """
    begun = workplace.evidence.manifest(*wanted.key)
    if begun is not None:
        judges = {"judge_models": begun.spec.judge_models} if wanted.judged_by_others else {}
        spec = resolved.spec.model_copy(update=judges)
        refuse_change(begun, spec, workplace.redactor)
        return begun.model_copy(update={"spec": spec})  # the same, with the secrets that are never stored
    release = resolved.release
    manifest = Manifest(
        evaluation_id=wanted.evaluation_id, agent_version=wanted.agent_version, started_at=now(), run_id=run_id,
        offline=uses_stand_in(workplace.env),
        request=resolved.request, spec=resolved.spec, spec_hash=resolved.spec.hash(),
        job_hashes={job.name: job.question_hash() for job in resolved.spec.jobs},
        released_at=release.released_at if release else None,
        parents=release.parent_versions if release else (),
    )
    _refuse_shared(workplace, manifest)
    workplace.evidence.begin(manifest)
    _refuse_shared(workplace, manifest)  # two versions may begin at once
    return manifest


def _refuse_shared(workplace: Workplace, manifest: Manifest) -> None:
    """Raises if another version has this id: ids of trials, users and events begin with it, so both would mix."""
    if others := sorted(workplace.evidence.versions_with(manifest.evaluation_id) - {manifest.agent_version}):
        raise ConfigurationError(
            f"{manifest.evaluation_id} is an evaluation of {listed(others)}; run {manifest.agent_version} without the "
            f"tag {EVALUATION_TAG}, or with another id"
        )


async def _announce(workplace: Workplace, manifest: Manifest) -> None:
    if url := workplace.env.get(ADDRESS):
        about = f"Stoic Eval of {manifest.agent_version}"
        key = api_key(workplace.env, "AGENT_API_KEY")
        limit = workplace.settings.limits.agent
        await create_knowledge_context(url, f"stoic-{manifest.evaluation_id}", about, key, limit)
