"""`stoic eval --dry-run`: what would run, with how many calls, about how much they cost, and what they would show."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from stoic_assets.adapters.evaluation.job_choice import job_files
from stoic_assets.adapters.evaluation.job_reach import files_outside, variables_sent
from stoic_assets.adapters.models.stand_in import OFFLINE
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import console
from stoic_assets.cli.asked_evaluation import AskedEvaluation
from stoic_assets.core.calls.model_costs import call_cost
from stoic_assets.core.comparison.effect import FEWEST_JOBS
from stoic_assets.core.comparison.planned_power import planned_detectable
from stoic_assets.core.conversation.journal import TrialState
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.specification import EvaluationSpec
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.names import played
from stoic_assets.core.jobs.plan import Planned
from stoic_assets.core.presentation.confidence import OFFLINE_PLAN
from stoic_assets.core.presentation.formatting import count, dollars, plural, score
from stoic_assets.core.table_rows import Rows
from stoic_assets.core.virtues import VIRTUES

EVALUATOR_TOKENS = (900, 40)
"""Tokens in and out of one message of the simulated user: measured on the demo's jobs, mid-conversation."""
JUDGE_TOKENS = (2200, 450)
"""Tokens in and out of one verdict, as measured on the demo's jobs."""


def show_plan(asked: AskedEvaluation, workplace: Workplace, as_json: bool) -> None:
    """Prints the plan, for people also what else the jobs have access to; no service is contacted.

    Of an evaluation that has `begun`, trials that are over are counted, but no messages for them.
    """
    spec, shown = asked.resolved.spec, asked.resolved.spec.blanked(workplace.redactor)
    document = _plan_document(shown, asked.version, asked.begun, workplace)
    if as_json:
        console.print_json(document)
        return
    urls = sorted({row["url"] for row in document["jobs"]})
    where = f" at {urls[0]}" if len(urls) == 1 else ""
    console.out.print(f"{asked.version}{where}: {plural(document['trials'], 'trial')}, nothing was run")
    console.print_table(_table(document["jobs"], with_url=not where))
    if asked.begun:
        over = plural(document["ended_trials"], "trial")
        held = f"no messages for {over} that ended before; verdicts given before cost nothing"
        console.say(f"evaluation {asked.begun.evaluation_id}: {held}")
    cost, calls = document["estimated_cost_usd"], document["calls"]
    about = "cost unknown: stoic.yml has no price for these models" if cost is None else f"about {dollars(cost)}"
    console.say(
        f"at most {plural(calls['agent'], 'message')} to the agent, {count(calls['evaluator'])} of the simulated user, "
        f"{plural(calls['judge'], 'verdict')}, not counting retries; {about}"
    )
    if OFFLINE in (spec.evaluator_model, *spec.judge_models):
        console.say(OFFLINE_PLAN, style="yellow")
    else:
        console.say(_comparable(document["compared_jobs"], document["detectable"]))
    _show_reach(spec, shown.addresses, asked.request.files, workplace)


def _comparable(jobs: int, detectable: Mapping[str, float | None]) -> str:
    """What a comparison with another version would find."""
    known = [each for each in detectable.values() if each is not None]
    if not known:
        return f"with fewer than {FEWEST_JOBS} jobs (here: {jobs}) no comparison can call a measure regressed"
    least, most = score(min(known)), score(max(known))
    change = least if least == most else f"{least} to {most}, depending on the measure,"
    found = f"find a change of {change} nine times out of ten"
    return f"compared with another version, {jobs} jobs {found} if their noise is typical"


def _table(jobs: Rows, with_url: bool) -> Table:
    """A table with a row for each job; `with_url` also shows where its agent listens."""
    table, numbers = console.plain_table(), ("trials", "assertions", "setups")
    names = {"job": "job", **({"url": "agent"} if with_url else {}), "conditions": "conditions"}
    for heading in names.values():
        table.add_column(heading, min_width=10)
    for heading in numbers:
        table.add_column(heading, justify="right")
    for row in jobs:
        cells = {**row, "conditions": ", ".join(row["conditions"])}
        table.add_row(*(console.Name(cells[key]) for key in names), *(count(row[key]) for key in numbers))
    return table


def _show_reach(
    spec: EvaluationSpec, addresses: Mapping[str, str], files: Iterable[str], workplace: Workplace
) -> None:
    """Prints which address is sent which variables, and which other folders jobs use; `addresses` are those shown."""
    for address, variables in variables_sent(spec.jobs, addresses, workplace.env).items():
        sent = f"{address} is sent the {'value' if len(variables) == 1 else 'values'} of {', '.join(variables)}"
        console.say(workplace.redactor.text(sent))
    project = workplace.project
    job_paths = [*map(Path, files)] or job_files(project)
    for job, paths in files_outside(project.root, job_paths, spec.jobs).items():
        reads = f"job {job} reads outside of the project: {', '.join(map(str, paths))}"
        console.say(workplace.redactor.text(reads))


def _plan_document(
    spec: EvaluationSpec, version: str, begun: Manifest | None, workplace: Workplace
) -> dict[str, Any]:
    """The plan as data. It counts the calls of conversations that take all their turns, without retries."""
    planned = spec.plan(begun.evaluation_id if begun else "dry-run")
    left = _left(planned, begun, workplace) if begun else planned
    verdicts = sum(len(VIRTUES) * spec.judge_samples + bool(item.job.tasks) for item in planned)
    messages = sum(item.job.room() for item in left)
    seeds = sum(len(item.job.seeded_messages()) for item in left)
    judged = verdicts * len(spec.judge_models)
    calls = {"agent": seeds + messages + len(left), "evaluator": messages, "judge": judged}
    trials_of_jobs = [*Counter(played(each.trial.job, each.trial.scenario) for each in planned).values()]
    return {
        "agent_version": version, "trials": len(planned), "ended_trials": len(planned) - len(left), "calls": calls,
        "estimated_cost_usd": _cost(spec, calls, workplace), "compared_jobs": len(trials_of_jobs),
        "detectable": {
            measure: planned_detectable(trials_of_jobs, delta)
            for measure, delta in workplace.settings.minimal_differences.model_dump().items()
        },
        "models": {"agent": spec.agent_model, "evaluator": spec.evaluator_model, "judges": list(spec.judge_models)},
        "jobs": [_job(job, spec, planned) for job in spec.jobs],
    }


def _left(planned: list[Planned], begun: Manifest, workplace: Workplace) -> list[Planned]:
    """The trials that a continued evaluation still has to hold."""
    kept = workplace.evidence.journals(begun).kept
    states = {item.trial.trial_id: TrialState.replay(kept.get(item.trial.trial_id, ())) for item in planned}
    return [item for item in planned if not states[item.trial.trial_id].is_over(item.may_restart())]


def _job(job: Job, spec: EvaluationSpec, planned: list[Planned]) -> dict[str, Any]:
    trials = [item.trial for item in planned if item.job is job]
    conditions = list(dict.fromkeys(trial.condition for trial in trials))
    return {
        "job": job.name, "url": spec.addresses[job.name], "conditions": conditions, "trials": len(trials),
        "assertions": len(job.assertions), "setups": len(job.setups),
    }


def _cost(spec: EvaluationSpec, calls: dict[str, int], workplace: Workplace) -> float | None:
    share = calls["judge"] / len(spec.judge_models)
    wanted: list[tuple[str, float, tuple[int, int]]] = [(spec.evaluator_model, calls["evaluator"], EVALUATOR_TOKENS)]
    wanted += [(model, share, JUDGE_TOKENS) for model in spec.judge_models]
    total = 0.0
    for model, number, tokens in wanted:
        if model == OFFLINE:
            continue
        each = call_cost(workplace.settings.prices.get(model), *tokens)
        if each is None:
            return None
        total += number * each
    return total
