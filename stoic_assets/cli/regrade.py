"""`stoic regrade`: judges stored evidence of an evaluation again."""

from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Annotated, Any

import typer

from stoic_assets.adapters.disk.files import remove_stale, write_whole
from stoic_assets.adapters.disk.job_files import load_corrections, readable_jobs
from stoic_assets.adapters.evaluation.job_choice import job_files, refuse_missing
from stoic_assets.adapters.evaluation.judging import EvaluationJudging, JudgingRequest
from stoic_assets.adapters.evaluation.stored_comparison import outdated_by
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.dagster_instance import refuse_misread_folders
from stoic_assets.cli.evaluation_choice import evaluation_of
from stoic_assets.cli.evaluation_end import finish
from stoic_assets.cli.options import FailUnder, Json, Junit, MaxCost, MinPassed, Samples, Verbose, only_files
from stoic_assets.cli.outcome import evaluation_outcome
from stoic_assets.cli.partition_run import materialise
from stoic_assets.core.calls.chat import BudgetReached
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.presentation.formatting import listed
from stoic_assets.core.scoring.evaluation_junit import refusal_junit
from stoic_assets.core.stages import VERDICTS


def regrade(
    agent_version: Annotated[
        str | None,
        typer.Option(metavar="A@V", help="Version to judge: agent@version. (default: that of ID, else the newest)"),
    ] = None,
    evaluation: Annotated[
        str | None, typer.Option(metavar="ID", help="Id of its evaluation. (default: the newest)")
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option("--file", metavar="FILE", callback=only_files, help="A corrected job file; may be repeated."),
    ] = None,
    original: Annotated[
        bool, typer.Option("--original", help="Discard earlier corrections and use the jobs of the conversations.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask the judges again instead of using their cached replies.")
    ] = False,
    judge_samples: Samples = None,
    fail_under: FailUnder = None,
    min_passed: MinPassed = None,
    junit: Junit = None,
    max_cost: MaxCost = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Judges stored evidence and checks its assertions again; the agent is not called."""
    with console.watched(verbose) as progress:
        workplace = open_workplace(progress=progress)
        remove_stale(junit)
        refuse_misread_folders(workplace)
        manifest = evaluation_of(workplace, agent_version, evaluation)
        refuse_missing(file or (), workplace.project)
        files, corrected = [str(path) for path in file or ()], load_corrections(file or ())
        request = JudgingRequest(judge_samples, corrected=corrected, original=original)
        for note in _notes(EvaluationJudging(workplace, manifest, request), {job.name for job in corrected}, workplace):
            progress.note(note)
        asked = {"samples": judge_samples, "fresh": fresh, "max_cost": max_cost}
        config = dict.fromkeys(("verdicts", "assertion_results"), asked | {"job_files": files, "original": original})
        _judge(workplace, manifest, config, junit)
        for note in outdated_by(workplace, *manifest.key):
            progress.note(note)
    finish(evaluation_outcome(workplace, manifest), workplace, as_json, fail_under, min_passed, junit)


def _judge(workplace: Workplace, manifest: Manifest, config: Mapping[str, Any], junit: Path | None) -> None:
    """Materialises the verdicts; a ceiling that no verdict fits under is told in `junit` too."""
    try:
        materialise(workplace, *manifest.key, VERDICTS, config)
    except BudgetReached as refusal:
        if junit:
            write_whole(junit, refusal_junit(manifest.agent_version, str(refusal)))
        raise


def _notes(judging: EvaluationJudging, named: Set[str], workplace: Workplace) -> Iterator[str]:
    """What may be unintended: judging by other jobs than those `named` with `--file`, or identical samples."""
    if earlier := [job.name for job in judging.correction.jobs if job.name not in named]:
        yield f"using corrected jobs from an earlier regrading: {listed(earlier)}; --original discards the corrections"
    jobs, _ = readable_jobs(job_files(workplace.project))
    if other := [name for name in judging.edited_jobs(jobs) if name not in named]:
        yield f"edited since the evaluation, edits not used: {listed(other)}; add --file FILE to judge by an edited job"
    if alike := judging.samples_alike():
        yield alike
