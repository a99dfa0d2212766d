"""What `stoic doctor` says of the services that an evaluation talks to over HTTP."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from stoic_assets.adapters.agents.connect import KEY, check_access
from stoic_assets.adapters.agents.knowledge_context import ADDRESS, check_knowledge_service
from stoic_assets.adapters.disk.job_files import readable_jobs
from stoic_assets.adapters.disk.release_files import releases_by_version
from stoic_assets.adapters.evaluation.job_choice import job_files
from stoic_assets.adapters.evaluation.specification import targets_of
from stoic_assets.adapters.http.api_keys import api_key
from stoic_assets.adapters.models.connect import (
    connect_model,
    evaluator_model,
    judge_panel,
    reachable_model,
    uses_stand_in,
)
from stoic_assets.adapters.models.model_list import look_up_models
from stoic_assets.adapters.models.model_server import evaluator_server, judge_server
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.stored_state import Found
from stoic_assets.core.configuration.service_address import protocol_doubt
from stoic_assets.core.errors import AttemptFailed, StoicError
from stoic_assets.core.jobs.job_entries import Target


async def _model(workplace: Workplace) -> Found:
    if uses_stand_in(workplace.env):
        needed = "OPENAI_API_KEY or OPENAI_BASE_URL"
        if workplace.env.get("STOIC_LLM"):
            needed += ", and unset STOIC_LLM=offline"
        return "note", f"offline, so scores mean nothing; to use a model, set {needed}"
    connect_model(workplace.env, workplace.settings)
    await reachable_model(workplace.env)
    notes = await look_up_models(workplace.env)
    judges = judge_server(workplace.env)
    place = f" of {judges}" if judges.url != evaluator_server(workplace.env).url else ""
    models = f"simulated user {evaluator_model(workplace.env)}, judges {', '.join(judge_panel(workplace.env))}{place}"
    return "note" if notes else "ok", "; ".join([models, *notes])


async def _agent(workplace: Workplace) -> Found:
    releases = releases_by_version(workplace.project.releases)
    jobs, complaints = readable_jobs(job_files(workplace.project))
    of_jobs = [targets_of(job, releases.values(), workplace.env) for job in jobs]
    ways = {_way(url, target): target for targets in of_jobs for url, target in targets.items()}
    asked = [_fault(url, target, workplace.env) for (url, _), target in ways.items()]
    faults = {way: fault for way, fault in zip(ways, await asyncio.gather(*asked), strict=True) if fault}
    for targets in of_jobs:
        closed = [fault for way in targets.items() if (fault := faults.get(_way(*way))) and not _is_late(fault)]
        if len(closed) == len(targets):
            raise closed[0]
    if not jobs:
        return "note", f"not looked for, since {'no job can be read' if complaints else 'there are no jobs'}"
    heard = sorted({url for url, how in ways if (url, how) not in faults})
    notes = [str(fault).partition(";")[0] for fault in faults.values()]
    notes += filter(None, (protocol_doubt(url, target.protocol) for (url, _), target in ways.items()))
    parts = [", ".join(heard), *dict.fromkeys(notes)]
    return "note" if notes else "ok", workplace.redactor.text("; ".join(filter(None, parts)))


def _way(url: str, target: Target) -> tuple[str, str]:
    """The key of an agent's check: jobs that talk to an agent in the same way share one result."""
    return url, target.model_dump_json(include={"protocol", "headers"})


async def _fault(url: str, target: Target, env: Mapping[str, str]) -> StoicError | None:
    """Why no agent can be reached there; None if one can."""
    try:
        await check_access(target, url, env)
    except StoicError as fault:
        return fault
    return None


def _is_late(fault: StoicError) -> bool:
    """Whether an agent is only slow: an evaluation would wait longer."""
    return isinstance(fault, AttemptFailed) and fault.is_slow


async def _knowledge(workplace: Workplace) -> Found:
    if not (url := workplace.env.get(ADDRESS)):
        return "ok", f"none ({ADDRESS} is not set)"
    try:
        await check_knowledge_service(url, api_key(workplace.env, KEY))
    except AttemptFailed as fault:
        if not _is_late(fault):
            raise
        return "note", str(fault)
    return "ok", workplace.redactor.text(url)


SERVICES: Mapping[str, Callable[[Workplace], Awaitable[Found]]] = {
    "model": _model, "agent": _agent, "knowledge": _knowledge,
}  # fmt: skip
