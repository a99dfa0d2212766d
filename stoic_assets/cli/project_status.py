"""`stoic doctor`: what is configured, what is reachable, what is missing, and how to mend it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import typer
from rich.table import Column, Table
from rich.text import Text

from stoic_assets.adapters.agents.connect import reachable
from stoic_assets.adapters.document_files import load_jobs, load_releases
from stoic_assets.adapters.evaluation_setup import addresses_of, job_files, refuse_receivers, refuse_setups_of
from stoic_assets.adapters.interrupts import run_async
from stoic_assets.adapters.models.connect import (
    connect_model,
    evaluator_model,
    is_offline,
    judge_panel,
    reachable_model,
)
from stoic_assets.adapters.receiver import SETTINGS, Target, addresses
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.evaluate import default_version
from stoic_assets.cli.options import Json
from stoic_assets.core.errors import ConfigurationError, StoicError
from stoic_assets.core.evaluation import EvaluationRequest
from stoic_assets.core.graph_address import subject_address
from stoic_assets.core.jobs.slips import doubts
from stoic_assets.core.presentation.formatting import plural

_MESSAGES: Mapping[Target, str] = {"events": "event", "fitness": "fitness update"}
COLOURS = {"ok": "green", "note": "yellow", "missing": "red"}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    `state` is ok, note (works, but worth knowing) or missing (no evaluation could run).
    """

    subject: str
    state: str
    detail: str


def doctor(as_json: Json = False) -> None:
    """Looks at everything an evaluation needs; exits with 2 if one could not run."""
    workplace = open_workplace()
    findings = [_looked_at(subject, look, workplace) for subject, look in LOOKS.items()]
    ready = all(finding.state != "missing" for finding in findings)
    if as_json:
        console.print_json({"ready": ready, "findings": [vars(finding) for finding in findings]})
    else:
        console.out.print(_table(findings))
        console.out.print("an evaluation can run" if ready else "an evaluation cannot run yet; mend what is missing")
    if not ready:
        raise typer.Exit(2)


def _table(findings: list[Finding]) -> Table:
    table = Table("state", "subject", Column(overflow="fold"), box=None, pad_edge=False, show_header=False)
    for finding in findings:
        state = Text(finding.state, COLOURS[finding.state])
        table.add_row(state, finding.subject, console.foreign(finding.detail))
    return table


def _looked_at(subject: str, look: Callable[[Workplace], tuple[str, str]], workplace: Workplace) -> Finding:
    try:
        return Finding(subject, *look(workplace))
    except StoicError as error:
        return Finding(subject, "missing", str(error))


def _installation(workplace: Workplace) -> tuple[str, str]:
    return "ok", f"stoic-eval {version('stoic-eval')}, dagster {version('dagster')}, duckdb {version('duckdb')}"


def _project(workplace: Workplace) -> tuple[str, str]:
    own = "its own stoic.yml" if workplace.project.settings.exists() else "no stoic.yml, defaults"
    return "ok", f"{workplace.project.root} ({own}); state in {workplace.project.home}"


def _jobs(workplace: Workplace) -> tuple[str, str]:
    files = job_files(workplace.project)
    if not (jobs := load_jobs(files)):
        raise ConfigurationError(f"there are none in {workplace.project.jobs}; write one, or use `stoic eval --file`")
    refuse_setups_of(jobs, workplace.env)
    places = " and ".join(dict.fromkeys(str(file.parent) for file in files))
    found, notes = f"{len(jobs)} in {places}", doubts(jobs, subject_address(workplace.env) is None)
    try:
        default_version(EvaluationRequest(), workplace)
    except ConfigurationError as error:
        notes.append(str(error))
    return "note" if notes else "ok", "; ".join([found, *notes])


def _releases(workplace: Workplace) -> tuple[str, str]:
    releases, complaints = load_releases(workplace.project.releases)
    if complaints:
        return "note", str(complaints[0])
    return "ok", ", ".join(sorted(releases)) or "none yet; `stoic release add` writes one"


def _model(workplace: Workplace) -> tuple[str, str]:
    if is_offline(workplace.env):
        needed = "OPENAI_API_KEY or OPENAI_BASE_URL, and no STOIC_LLM=offline"
        return "note", f"offline stand-ins: scores mean nothing; real ones need {needed}"
    connect_model(workplace.env, workplace.settings)
    run_async(reachable_model(workplace.env))
    return "ok", f"evaluator {evaluator_model(workplace.env)}, judges {', '.join(judge_panel(workplace.env))}"


def _agent(workplace: Workplace) -> tuple[str, str]:
    releases, _ = load_releases(workplace.project.releases)
    jobs = load_jobs(job_files(workplace.project))
    of_jobs = [addresses_of(job, releases.values(), workplace.env) for job in jobs]
    urls = sorted({url for known in of_jobs for url in known})
    silent = {url: fault for url, fault in zip(urls, run_async(_faults(urls)), strict=True) if fault}
    for known in of_jobs:
        if known <= silent.keys():
            raise silent[min(known)]
    if not jobs:
        return "note", "no job says where one listens"
    heard = ", ".join(url for url in urls if url not in silent)
    told = "; ".join([heard, *dict.fromkeys(str(fault).partition(";")[0] for fault in silent.values())])
    return "note" if silent else "ok", workplace.redactor.text(told)


async def _faults(urls: Sequence[str]) -> list[StoicError | None]:
    """Of each address why no agent can be talked to there; None where somebody listens."""

    async def fault_of(url: str) -> StoicError | None:
        try:
            await reachable(url)
        except StoicError as fault:
            return fault
        return None

    return await asyncio.gather(*map(fault_of, urls))


def _graphs(workplace: Workplace) -> tuple[str, str]:
    async def ping() -> None:
        await graphs.subject.ping()
        await graphs.stoic.ping()

    with workplace.graphs() as graphs:
        run_async(ping())
        kind = "embedded" if graphs.embedded else "configured"
        return "ok", f"subject {graphs.subject_address.uri}; {kind}"


def _delivery(workplace: Workplace) -> tuple[str, str]:
    refuse_receivers(workplace.env)
    urls = addresses(workplace.env)
    waiting = workplace.outbox.waiting() if any(urls.values()) else {}
    notes = []
    for target, url in urls.items():
        if not url:
            notes.append(f"{_MESSAGES[target]}s stay in the outbox ({SETTINGS[target]} is not set)")
        elif target in waiting:
            number = plural(waiting[target], _MESSAGES[target])
            notes.append(f"{number} in the outbox; the next evaluation tries {SETTINGS[target]} again")
    return ("note", "; ".join(notes)) if notes else ("ok", "nothing waits in the outbox")


LOOKS: dict[str, Callable[[Workplace], tuple[str, str]]] = {
    "installation": _installation, "project": _project, "jobs": _jobs, "releases": _releases, "model": _model,
    "agent": _agent, "graphs": _graphs, "delivery": _delivery,
}
