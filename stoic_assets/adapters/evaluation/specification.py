"""Resolves what a user requests to the specification of an evaluation, with the checks that precede any call."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from stoic_assets.adapters.agents.connect import connect_agent, header_secrets, reachable
from stoic_assets.adapters.disk.release_files import load_release, url_of
from stoic_assets.adapters.evaluation.job_choice import as_stored, chosen_jobs
from stoic_assets.adapters.http.endpoint import parse_url
from stoic_assets.adapters.messages.receiver import refuse_receivers
from stoic_assets.adapters.models.connect import connect_model, evaluator_model, judge_panel, reachable_model
from stoic_assets.adapters.models.ledger import require_prices
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calls.concurrent_calls import concurrently
from stoic_assets.core.configuration.graph_address import (
    refuse_same_graph,
    refuse_setups,
    stoic_address,
    subject_address,
)
from stoic_assets.core.conversation import evaluator
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.evaluation.specification import DEFAULT_AGENT_MODEL, DEFAULT_AGENT_URL, EvaluationSpec
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import Target
from stoic_assets.core.judging import prompt as judging
from stoic_assets.core.judging.own_prompts import refuse_prompt
from stoic_assets.core.releases import ALL_VERSIONS, Release
from stoic_assets.core.text import templates
from stoic_assets.core.text.documents import dotted


@dataclass(frozen=True)
class ResolvedRequest:
    """The specification, the release manifest, if any, that parts of it come from, and what was asked for."""

    spec: EvaluationSpec
    release: Release | None
    request: EvaluationRequest = field(default_factory=EvaluationRequest)


def resolve(
    workplace: Workplace, request: EvaluationRequest, agent_version: str, max_cost: float | None = None
) -> ResolvedRequest:
    """Resolves a request. Raises `ConfigurationError` for anything missing or wrong; no service is contacted."""
    project, env = workplace.project, workplace.env
    if agent_version == ALL_VERSIONS:
        raise ConfigurationError(f"{ALL_VERSIONS} stands for what concerns all versions; choose another name")
    release = load_release(project.releases, agent_version)
    jobs = [_as_released(job, release) for job in chosen_jobs(request, agent_version, project, release)]
    if release and not request.agent_url:
        url_of(project.releases, release)
    refuse_setups_of(jobs, env)
    refuse_same_graph(subject_address(env), stoic_address(env), env)
    spec = EvaluationSpec(
        jobs=tuple(jobs),
        addresses={job.name: address_of(job, request, release, env) for job in jobs},
        conditions=request.conditions,
        repeats=request.repeats,
        agent_model=request.model or (release.model if release else None) or DEFAULT_AGENT_MODEL,
        evaluator_model=evaluator_model(env),
        judge_models=judge_panel(env),
        judge_samples=request.judge_samples or workplace.settings.judging.samples,
        prompts_hash=prompts_hash(),
    )
    _refuse_unusable(spec, workplace, max_cost)
    return ResolvedRequest(spec, release, as_stored(request, project))


def _refuse_unusable(spec: EvaluationSpec, workplace: Workplace, max_cost: float | None) -> None:
    """Raises for an address, header, key or price that the evaluation needs and that is missing or invalid.

    It also raises for a job that could not be judged in the form in which it will be stored.
    """
    env, settings = workplace.env, workplace.settings
    connect_model(env, settings)
    refuse_receivers(env)
    for job in spec.jobs:
        address = spec.addresses[job.name]
        with _named(job):
            header_secrets(job.target, env)
        connect_agent(job.target, address, spec.agent_model, env, settings.limits.agent)
        blanked = job.blanked(workplace.redactor)
        for prompt, text in blanked.prompts.items():
            source = f"job {job.name}: prompt {prompt} once `redact` in stoic.yml has replaced a part of it"
            refuse_prompt(blanked, prompt, text, source)
    if settings.ceiling(max_cost) is not None:
        require_prices([spec.evaluator_model, *spec.judge_models], settings.prices)


@contextmanager
def _named(job: Job) -> Iterator[None]:
    """Names the job in errors about its target."""
    try:
        yield
    except ConfigurationError as error:
        raise ConfigurationError(f"job {job.name}: {error}") from None


def _as_released(job: Job, release: Release | None) -> Job:
    if release is None or release.protocol is None or release.protocol == job.target.protocol:
        return job
    target = job.target.model_copy(update={"protocol": release.protocol})
    released = job.model_copy(update={"target": target})
    if fault := released.protocol_fault():
        place, problem = fault
        refused = f"job {job.name} cannot be run as release {release.agent_version} says"
        raise ConfigurationError(f"{refused}: {dotted(place)}: {problem}")
    return released


def address_of(job: Job, request: EvaluationRequest, release: Release | None, env: Mapping[str, str]) -> str:
    """The agent's URL: command line, else release, else job, else `AGENT_URL`, else the default.

    Raises `ConfigurationError` for one that is wrong, naming the option or variable.
    """
    released = release.url if release else None
    url = request.agent_url or released or job.target.url or env.get("AGENT_URL") or DEFAULT_AGENT_URL
    # Those of releases and jobs are checked with the files that they are in.
    parse_url(url, "--agent-url" if request.agent_url else "AGENT_URL")
    return url


def targets_of(job: Job, releases: Iterable[Release], env: Mapping[str, str]) -> dict[str, Target]:
    """The addresses where a job's agent may listen, with the target (protocol, headers) for each.

    They are the addresses of its releases, and those that job or environment give; else the default.
    """
    own = job.target.url or env.get("AGENT_URL")
    known = {own: job.target} if own else {}
    for release in releases:
        if release.url and release.agent == job.target.chatbot:
            protocol = release.protocol or job.target.protocol
            known[release.url] = job.target.model_copy(update={"protocol": protocol})
    return known or {DEFAULT_AGENT_URL: job.target}


def refuse_setups_of(jobs: Sequence[Job], env: Mapping[str, str]) -> None:
    """Raises when a job would change a graph on which setups are not allowed."""
    if any(job.setups for job in jobs) and (address := subject_address(env)):
        refuse_setups(address, env)


def prompts_hash() -> str:
    """SHA-256 over every built-in prompt; a job's own templates are part of the job."""
    packages = (evaluator.PACKAGE, judging.PACKAGE)
    texts = [templates.source(package, name) for package in packages for name in templates.names(package)]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


async def check_reachable(spec: EvaluationSpec, env: Mapping[str, str]) -> None:
    """Raises `ServiceUnreachable` when the agent or the model does not answer at all."""
    await concurrently([*(reachable(url) for url in set(spec.addresses.values())), reachable_model(env)])
