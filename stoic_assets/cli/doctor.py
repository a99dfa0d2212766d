"""`stoic doctor`: what is configured, what is reachable, what is missing, and how to correct it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import typer
from rich.text import Text

from stoic_assets.adapters.disk.files import StorageError, room
from stoic_assets.adapters.disk.job_files import load_jobs, readable_jobs
from stoic_assets.adapters.disk.release_files import fault_in_release, load_releases, url_of, with_faulty
from stoic_assets.adapters.evaluation.job_choice import chosen_jobs, default_version, job_files, unread_files
from stoic_assets.adapters.evaluation.query_check import refused_queries
from stoic_assets.adapters.evaluation.specification import refuse_setups_of
from stoic_assets.adapters.graph.stoic_graph_place import refuse_unfit
from stoic_assets.adapters.messages.receiver import SETTINGS, addresses, refuse_receivers
from stoic_assets.adapters.messages.receiver import Target as Receiver
from stoic_assets.adapters.process.interrupts import run_async
from stoic_assets.adapters.project import make_home
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.dagster_instance import refuse_misread_folders
from stoic_assets.cli.notes import graph_doubts
from stoic_assets.cli.options import Json
from stoic_assets.cli.release import stored_versions, unknown_parents
from stoic_assets.cli.service_status import SERVICES
from stoic_assets.cli.stored_state import STORED, Found
from stoic_assets.core.configuration.graph_address import subject_address
from stoic_assets.core.configuration.own_variables import mistyped
from stoic_assets.core.errors import ConfigurationError, StoicError
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.jobs.slips import doubts
from stoic_assets.core.presentation.formatting import plural
from stoic_assets.core.releases import Release

_MESSAGES: Mapping[Receiver, str] = {"events": "event", "fitness": "fitness update"}
LEAST_ROOM = 20_000_000
"""Bytes for a small evaluation and Dagster's record of it, with room for files that are rewritten next to the old."""
COLOURS = {"ok": "green", "note": "yellow", "missing": "red"}


@dataclass(frozen=True)
class Finding:
    """One thing that was checked.

    `state` is ok, note (works, but worth knowing) or missing (no evaluation could run).
    """

    subject: str
    state: str
    detail: str


def doctor(as_json: Json = False) -> None:
    """Checks everything that an evaluation needs; exits with 2 if none can run."""
    workplace = open_workplace(to_read=True)
    findings = [*_checked(FILES, workplace), *run_async(_contacted(workplace)), *_checked(STATE, workplace)]
    ready = all(finding.state != "missing" for finding in findings)
    if as_json:
        console.print_json({"ready": ready, "findings": [vars(finding) for finding in findings]})
    else:
        show(findings)
        console.out.print("an evaluation can run" if ready else "no evaluation can run yet; correct what is missing")
    if not ready:
        raise typer.Exit(2)


def show(findings: Iterable[Finding]) -> None:
    """Prints a line for each; in a terminal its detail folds below it."""
    for finding in findings:
        label = Text.assemble((f"{finding.state:<9}", COLOURS[finding.state]), f"{finding.subject:<14}")
        detail = finding.detail.removeprefix(f"{finding.subject}: ")
        console.say(detail, indent=len(label), label=label)


def _checked(looks: Mapping[str, Callable[[Workplace], Found | None]], workplace: Workplace) -> Iterator[Finding]:
    for subject, look in looks.items():
        try:
            state_and_detail = look(workplace)
        except StoicError as error:
            state_and_detail = "missing", str(error)
        if state_and_detail:
            yield Finding(subject, *state_and_detail)


async def _contacted(workplace: Workplace) -> list[Finding]:
    """Makes the checks that contact services, all at the same time."""

    async def answer(subject: str, ask: Callable[[Workplace], Awaitable[Found]]) -> Finding:
        try:
            return Finding(subject, *await ask(workplace))
        except StoicError as error:
            return Finding(subject, "missing", str(error))

    return await asyncio.gather(*[answer(*each) for each in SERVICES.items()])


def _installation(workplace: Workplace) -> Found:
    return "ok", f"stoic-eval {version('stoic-eval')}, dagster {version('dagster')}, duckdb {version('duckdb')}"


def _project(workplace: Workplace) -> Found:
    refuse_misread_folders(workplace)
    make_home(workplace.project, to_read=_nothing_begun(workplace))
    for folder in filter(Path.exists, (workplace.project.home, workplace.project.warehouse)):
        if (free := room(folder)) < LEAST_ROOM:
            left = f"{free / 1e6:.1f} MB are free in {folder}, and an evaluation needs {LEAST_ROOM / 1e6:g} MB"
            raise StorageError(f"{left}; free space, or set STOIC_HOME and STOIC_WAREHOUSE")
    own = "its own stoic.yml" if workplace.project.settings.exists() else "no stoic.yml, so defaults"
    place = f"{workplace.project.root} ({own}); state in {workplace.project.home}"
    notes = mistyped(workplace.env)
    return "note" if notes else "ok", "; ".join([place, *notes])


def _nothing_begun(workplace: Workplace) -> bool:
    """Whether there are neither jobs nor a home: perhaps it is the wrong folder, and nothing is to be left there."""
    return not (workplace.project.home.exists() or job_files(workplace.project))


def _jobs(workplace: Workplace) -> Found:
    files, unread = job_files(workplace.project), _unread(workplace)
    if not (jobs := load_jobs(files)):
        advice = "; ".join(["write a job (`stoic init` writes one to change), or use `stoic eval --file`", *unread])
        raise ConfigurationError(f"no jobs in {workplace.project.jobs}; {advice}")
    refuse_setups_of(jobs, workplace.env)
    places = " and ".join(dict.fromkeys(str(file.parent) for file in files))
    where, notes = f"{len(jobs)} in {places}", [*unread, *doubts(jobs, subject_address(workplace.env) is None)]
    try:
        default_version(EvaluationRequest(), workplace.project)
    except ConfigurationError as error:
        notes.append(str(error))
    return "note" if notes else "ok", "; ".join([where, *notes])


def _unread(workplace: Workplace) -> list[str]:
    """A note if there are files in subfolders of `eval_jobs/`."""
    files = unread_files(workplace.project)
    return [f"not read: {plural(len(files), 'file')} in subfolders, such as {files[0]}"] if files else []


def _releases(workplace: Workplace) -> Found:
    releases, faults = load_releases(workplace.project.releases)
    unusable = filter(None, (_unusable(release, workplace) for release in releases.values()))
    known = {*with_faulty(releases, faults), *stored_versions(workplace)}
    orphans = (_orphan(release, known, workplace) for release in releases.values())
    of_jobs = {str(fault) for fault in readable_jobs(job_files(workplace.project))[1]}
    found = dict.fromkeys(map(str, [*faults, *unusable, *filter(None, orphans)]))
    if complaints := [each for each in found if each not in of_jobs]:
        return "note", "; ".join(complaints)
    return "ok", ", ".join(sorted(releases)) or "none yet; `stoic release add` writes one"


def _unusable(release: Release, workplace: Workplace) -> ConfigurationError | None:
    """Why a version cannot be evaluated as its manifest says, or None."""
    try:
        url_of(workplace.project.releases, release)
        chosen_jobs(EvaluationRequest(), release.agent_version, workplace.project, release)
    except ConfigurationError as fault:
        return fault
    return None


def _orphan(release: Release, known: Set[str], workplace: Workplace) -> ConfigurationError | None:
    """The complaint about parents of which nothing is known here, or None."""
    unknown = unknown_parents(release, known)
    return fault_in_release(workplace.project.releases, release, "parents", "; ".join(unknown)) if unknown else None


def _graphs(workplace: Workplace) -> Found:
    async def asked() -> list[str]:
        await graphs.subject.ping()
        await graphs.stoic.ping()
        await refuse_unfit(graphs, workplace.env)
        return await refused_queries(jobs, graphs.subject)

    if _nothing_begun(workplace):
        return "note", "not looked for, since there are no jobs"
    jobs, _ = readable_jobs(job_files(workplace.project))
    unwritten = graph_doubts(jobs, workplace)  # before we start a server ourselves
    with workplace.graphs() as graphs:
        notes = [*unwritten, *run_async(asked())]
        kind = "embedded" if graphs.embedded else "configured"
        graph = f"subject {graphs.subject_address.uri}; {kind}"
        return "note" if notes else "ok", "; ".join([graph, *notes])


def _delivery(workplace: Workplace) -> Found:
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
    return ("note", "; ".join(notes)) if notes else ("ok", "the outbox is empty")


FILES: Mapping[str, Callable[[Workplace], Found]] = {
    "installation": _installation, "project": _project, "jobs": _jobs, "releases": _releases,
}  # fmt: skip
STATE: Mapping[str, Callable[[Workplace], Found | None]] = {**STORED, "graphs": _graphs, "delivery": _delivery}
