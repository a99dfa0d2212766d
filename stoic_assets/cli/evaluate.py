"""`stoic eval`: one evaluation through the same assets that Dagster's UI materialises."""

import secrets
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from stoic_assets.adapters.disk.files import check_writable, remove_stale
from stoic_assets.adapters.evaluation.beginning import Wanted
from stoic_assets.adapters.evaluation.specification import check_reachable
from stoic_assets.adapters.process.configured_secrets import refuse_secret
from stoic_assets.adapters.process.interrupts import run_async
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.asked_evaluation import AskedEvaluation, asked_evaluation, resumed_id
from stoic_assets.cli.dagster_instance import refuse_misread_folders
from stoic_assets.cli.dry_run import show_plan
from stoic_assets.cli.evaluation_choice import evaluation_of
from stoic_assets.cli.evaluation_end import finish
from stoic_assets.cli.notes import notes_before
from stoic_assets.cli.options import FailUnder, Json, Junit, MaxCost, MinPassed, Samples, Verbose, only_files
from stoic_assets.cli.outcome import evaluation_outcome
from stoic_assets.cli.partition_run import materialise
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.jobs.job import MOST_REPEATS
from stoic_assets.core.stages import EVALUATION


class Condition(StrEnum):
    """Which conditions to run."""

    both = "both"
    withheld = "withheld"
    supplied = "supplied"


_JOBS = (
    "data/eval/agent.yml, else all of eval_jobs/; with --agent-version the release's `jobs`, else those in both for "
    "its agent"
)
Files = Annotated[
    list[Path] | None,
    typer.Option(
        "--file", metavar="FILE", callback=only_files, help=f"A job file to run; may be repeated. (default: {_JOBS})"
    ),
]
Names = Annotated[
    list[str] | None, typer.Option("--job", metavar="NAME", help="Run the job with this name; may be repeated.")
]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="Run the jobs with this tag; may be repeated.")
]
Model = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Model the agent is asked to use. (default: the release's, else gpt-4.1-mini)"),
]
Version = Annotated[
    str | None,
    typer.Option(metavar="A@V", help="Version to evaluate: agent@version. (default: that of ID, else <chatbot>@dev)"),
]
Url = Annotated[
    str | None,
    typer.Option(metavar="URL", help="The agent's address. (default: the release's, else the job's, else AGENT_URL)"),
]
Played = Annotated[
    Condition | None,
    typer.Option(metavar="WHICH", help=f"{', '.join(Condition)}: which to run. (default: both where a job has facts)"),
]
Repeats = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, max=MOST_REPEATS, help="How many times to run each trial. (default: `repeats` of the job)"
    ),
]
AtOnce = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Conversations at once. (default: conversations.at_once of stoic.yml)"),
]
Resume = Annotated[
    str | None,
    typer.Option(metavar="[ID]", help="Continue the newest unfinished evaluation, or that with this ID, as it began."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show trials, calls and estimated cost; run nothing.")]


def evaluate(
    file: Files = None,
    job: Names = None,
    tag: Tags = None,
    model: Model = None,
    agent_version: Version = None,
    agent_url: Url = None,
    condition: Played = None,
    repeats: Repeats = None,
    judge_samples: Samples = None,
    max_conversations: AtOnce = None,
    fail_under: FailUnder = None,
    min_passed: MinPassed = None,
    junit: Junit = None,
    max_cost: MaxCost = None,
    resume: Resume = None,
    dry_run: DryRun = False,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Evaluates one version of an agent: converse, check, judge, score."""
    request = EvaluationRequest(
        files=tuple(map(str, file or ())), jobs=tuple(job or ()), tags=tuple(tag or ()),
        conditions=condition.value if condition else None, repeats=repeats, judge_samples=judge_samples, model=model,
        agent_url=agent_url,
    )
    with console.watched(verbose) as progress:
        workplace = open_workplace(progress=progress)
        refuse_secret(agent_url, workplace.redactor)
        if dry_run:
            check_writable(junit)
        else:
            remove_stale(junit)
            refuse_misread_folders(workplace)
        asked = asked_evaluation(request, agent_version, resume, workplace, max_cost)
        for note in notes_before(asked, workplace):
            progress.note(note)
        manifest = None if dry_run else _evaluated(asked, workplace, max_conversations, max_cost)
    if manifest:
        finish(evaluation_outcome(workplace, manifest), workplace, as_json, fail_under, min_passed, junit)
    else:  # only now: until its end, progress sends what is printed to stderr
        show_plan(asked, workplace, as_json)


def _evaluated(
    asked: AskedEvaluation, workplace: Workplace, at_once: int | None, max_cost: float | None
) -> Manifest:
    """Runs the evaluation that is continued, or a new one; its id is shown once all services were reached.

    The run checks that again before the first trial; checked here, it fails before Dagster loads.
    """
    evaluation_id = resumed_id(asked.begun, workplace) if asked.begun else new_evaluation_id()
    run_async(check_reachable(asked.resolved.spec, workplace.env))
    workplace.progress.note(f"{asked.version}: evaluation {evaluation_id}")
    return run_evaluation(workplace, Wanted(asked.version, evaluation_id, asked.request), at_once, max_cost)


def run_evaluation(
    workplace: Workplace, wanted: Wanted, at_once: int | None = None, max_cost: float | None = None
) -> Manifest:
    """Materialises every stage for one evaluation, and returns its manifest."""
    request = wanted.request
    conversing = {**request.model_dump(mode="json"), "at_once": at_once, "max_cost": max_cost}
    # A resumed evaluation is judged by the jobs of its conversations, whatever it was judged by in between.
    judging = {"samples": request.judge_samples, "max_cost": max_cost, "original": True}
    config = {"transcripts": conversing, **dict.fromkeys(("verdicts", "assertion_results"), judging)}
    materialise(workplace, *wanted.key, EVALUATION, config)
    return evaluation_of(workplace, *wanted.key)


def new_evaluation_id() -> str:
    """A unique id of time and a random part, which sorts by age."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
