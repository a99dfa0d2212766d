"""What `stoic eval` is asked for: jobs and options, the version, and the evaluation that is continued, if any."""

from dataclasses import dataclass

from stoic_assets.adapters.disk.release_files import load_release
from stoic_assets.adapters.evaluation.job_choice import (
    as_begun,
    by_default,
    chosen_jobs,
    default_version,
    missing_jobs,
)
from stoic_assets.adapters.evaluation.specification import ResolvedRequest, resolve
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.evaluation_choice import checked_version, evaluation_of, newest_to_resume
from stoic_assets.cli.options import NEWEST
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.next_command import judge_again
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.evaluation.resuming import refuse_change
from stoic_assets.core.presentation.formatting import listed


@dataclass(frozen=True)
class AskedEvaluation:
    """What is evaluated: a version, by a request with its gaps filled and what that resolves to.

    `begun` is the evaluation that is continued; None for a new one.
    """

    version: str
    request: EvaluationRequest
    resolved: ResolvedRequest
    begun: Manifest | None


def asked_evaluation(
    request: EvaluationRequest, agent_version: str | None, resume: str | None, workplace: Workplace,
    max_cost: float | None,
) -> AskedEvaluation:
    """Finds what is meant, and resolves it; a refusal also says which jobs a continued evaluation still needs.

    Raises `ConfigurationError`, `ResumeRefused` if the specification of that one has changed.
    """
    request, version, begun = evaluation_meant(request, agent_version, resume, workplace)
    try:
        resolved = resolve(workplace, request, version, max_cost)
    except ConfigurationError as refusal:
        if begun and (missing := missing_jobs(begun, workplace.project)):
            refusal.add_note(
                f"evaluation {begun.evaluation_id} needs jobs that are gone: {listed(missing)}; restore their files, "
                "or leave --resume out to start a new one; once all its trials are run, "
                f"{judge_again(*begun.key)} needs no job files"
            )
        raise
    if begun:
        refuse_change(begun, resolved.spec, workplace.redactor)
    return AskedEvaluation(version, request, resolved, begun)


def evaluation_meant(
    request: EvaluationRequest, agent_version: str | None, resume: str | None, workplace: Workplace
) -> tuple[EvaluationRequest, str, Manifest | None]:
    """The request with its gaps filled, the version, and the evaluation that is continued, if any."""
    if resume is None or resume == NEWEST:
        otherwise = ", or name the evaluation's id (`--resume ID`; `stoic list` shows it)" if resume else ""
        wanted, version = _begun_anew(request, agent_version, workplace, otherwise)
        if resume is None:
            return wanted, version, None
        release = load_release(workplace.project.releases, version)
        jobs = [job.name for job in chosen_jobs(wanted, version, workplace.project, release)]
        begun = newest_to_resume(version, jobs, workplace)
    else:
        begun = evaluation_of(workplace, agent_version, resume)
    return as_begun(request, begun, workplace.project), begun.agent_version, begun


def _begun_anew(
    request: EvaluationRequest, agent_version: str | None, workplace: Workplace, otherwise: str
) -> tuple[EvaluationRequest, str]:
    """A request that continues nothing, with its default job file, and the version."""
    if agent_version is None:
        request = by_default(request, workplace.project)
        return request, default_version(request, workplace.project, otherwise)
    return request, checked_version(workplace, agent_version)


def resumed_id(begun: Manifest, workplace: Workplace) -> str:
    """The id of an evaluation that is continued; says which corrections are no longer used."""
    if corrected := [job.name for job in workplace.evidence.correction(begun).jobs]:
        workplace.progress.note(
            f"judged by the jobs of the conversations; corrections no longer used: {listed(corrected)}"
        )
    return begun.evaluation_id
