"""`stoic list`: every evaluation, also those that were cut short."""

import logging
from typing import Annotated

import typer
from rich.table import Table

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.evaluation.job_choice import job_files
from stoic_assets.adapters.models.ledger import calls_in
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.evaluation_choice import checked_version
from stoic_assets.cli.options import Json
from stoic_assets.core.calls.model_costs import total_cost
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.status import FINISHED
from stoic_assets.core.moments import in_utc, utc_text
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE
from stoic_assets.core.presentation.formatting import dashed, dollars, score
from stoic_assets.core.rounding import half_even
from stoic_assets.core.table_rows import Row, Rows

_log = logging.getLogger(__name__)

UNFINISHED = "conversing"
"""The status of an evaluation until all its conversations are stored; `--resume` with its id continues it."""
WHAT_AVERAGE = "average: over all trials; `stoic compare` counts each job once"
_ROWS = """
    select agent_version, evaluation_id, started_at, status, offline, evaluations.planned_trials,
        scores.scored_trials, scores.invalid_trials, average_overall as average_score, cost_usd
    from evaluations left join evaluation_scores as scores using (agent_version, evaluation_id)
"""


def list_evaluations(
    agent_version: Annotated[
        str | None, typer.Option(metavar="A@V", help="Show only this version: agent@version. (default: all)")
    ] = None,
    as_json: Json = False,
) -> None:
    """Lists evaluations, the newest first, with the ids that other commands take."""
    workplace = open_workplace(to_read=True)
    workplace.warehouse.renew()
    rows = _evaluations(workplace, agent_version and checked_version(workplace, agent_version))
    if as_json:
        console.print_json([{**row, "started_at": utc_text(row["started_at"])} for row in rows])
    elif rows:
        console.print_table(_fitting(rows))
        if any(row["average_score"] is not None for row in rows):
            console.say(WHAT_AVERAGE, style="dim")
        if any(row["offline"] for row in rows):
            console.say(OFFLINE_NOTE, style="yellow")
    if not rows:
        (console.err if as_json else console.out).print(_why_none(workplace, agent_version))


def _why_none(workplace: Workplace, agent_version: str | None) -> str:
    if agent_version:
        return f"{agent_version} {workplace.unevaluated(agent_version)}"
    if job_files(workplace.project):
        return f"{nothing_in(workplace)}; run `stoic eval` or `stoic demo`"
    no_jobs = f"there are no jobs in {workplace.project.jobs} either"
    return f"{nothing_in(workplace)}; {no_jobs}: change to your project, or begin one with `stoic init`"


def nothing_in(workplace: Workplace) -> str:
    """The note that the home is still without an evaluation, and where it is: the user may be in the wrong folder."""
    return f"nothing was evaluated yet in {workplace.project.home}"


def _evaluations(workplace: Workplace, agent_version: str | None) -> list[Row]:
    """The evaluations of a version, or of all, newest first. For one that was cut short many columns are null."""
    evidence = workplace.evidence
    wanted = {agent_version} if agent_version else evidence.agent_versions()
    being_deleted = set(filter(evidence.is_being_deleted, evidence.agent_versions()))
    counted = (row for row in workplace.warehouse.query(_ROWS) if row["agent_version"] not in being_deleted)
    rows = {(row["agent_version"], row["evaluation_id"]): row for row in counted}
    stored = [_stored(workplace, row) for (version, _), row in rows.items() if agent_version in (None, version)]
    begun = [
        _begun(workplace, version, evaluation_id)
        for version in wanted
        for evaluation_id in evidence.evaluation_ids(version)
        if (version, evaluation_id) not in rows
    ]
    marked = (
        {**row, "running": bool(evidence.is_being_evaluated(row["agent_version"], row["evaluation_id"]))}
        for row in [*stored, *filter(None, begun)]
    )
    return sorted(marked, key=lambda row: utc_text(row["started_at"]), reverse=True)


def _stored(workplace: Workplace, row: Row) -> Row:
    cost = row["cost_usd"]
    if row["status"] != FINISHED:  # the row states the cost of the last run that came to its end
        manifest = workplace.evidence.readable(row["agent_version"], row["evaluation_id"])
        if manifest and workplace.evidence.has_begun(manifest):
            cost = _cost_so_far(workplace, manifest, otherwise=cost)
    return {**row, "average_score": half_even(row["average_score"]), "cost_usd": cost}


def _cost_so_far(workplace: Workplace, manifest: Manifest, otherwise: float | None = None) -> float | None:
    """See `total_cost`; `otherwise` where the journal is damaged or cannot be read, which is logged."""
    try:
        return total_cost(calls_in(workplace.evidence.journal_file(manifest), workplace.settings.prices))
    except StorageError as damage:
        _log.warning("cost so far is not known: %s", damage)
        return otherwise


def _begun(workplace: Workplace, agent_version: str, evaluation_id: str) -> Row | None:
    manifest = workplace.evidence.readable(agent_version, evaluation_id)
    if manifest is None:
        return None
    return {
        "agent_version": agent_version, "evaluation_id": evaluation_id, "started_at": manifest.started_at,
        "status": UNFINISHED, "offline": manifest.offline, "planned_trials": len(manifest.spec.plan(evaluation_id)),
        "scored_trials": None, "invalid_trials": None, "average_score": None,
        "cost_usd": _cost_so_far(workplace, manifest),
    }  # fmt: skip


def _fitting(rows: Rows) -> Table:
    """The table; without the moments if they do not fit and every id begins with its own, as those of commands do."""
    table = _table(rows, True)
    tell = (row["evaluation_id"].startswith(f"{in_utc(row['started_at']):%Y%m%dT}") for row in rows)
    return table if console.fits(table) or not all(tell) else _table(rows, False)


def _table(rows: Rows, with_moments: bool) -> Table:
    table = console.plain_table()
    moment = {"begun, UTC": 10} if with_moments else {}
    for heading, least in {"version": 10, "evaluation": 22, **moment, "status": 10}.items():
        table.add_column(heading, min_width=least)
    for heading in ("scored", "average", "cost"):
        table.add_column(heading, justify="right")
    for row in rows:
        begun = [f"{in_utc(row['started_at']):%Y-%m-%d %H:%M}"] if with_moments else []
        names = row["agent_version"], row["evaluation_id"], *begun, _status(row)
        scored = f"{row['scored_trials'] or 0} of {row['planned_trials']}"
        numbers = dashed(score, row["average_score"]), dashed(dollars, row["cost_usd"])
        table.add_row(*map(console.Name, names), scored, *numbers)
    return table


def _status(row: Row) -> str:
    """`conversing running offline`; one that is finished is `in use` by the command that still publishes it."""
    at_work = "in use" if row["status"] == FINISHED else "running"
    return " ".join([row["status"], *([at_work] if row["running"] else []), *(["offline"] if row["offline"] else [])])
