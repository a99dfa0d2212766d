"""Trials in the form from which GEPA learns: an `EvaluationBatch`, and the reflective dataset made from it.

The package `gepa` is not imported: `EvaluationBatch(**vars(batch))` converts a batch to GEPA's own type.
`docs/evolution.md` describes how a loop uses this. Holdout jobs are left out of everything.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TypedDict

from stoic_assets.core.assertions.counting import counts
from stoic_assets.core.assertions.wording import name_or_text
from stoic_assets.core.errors import StoicError
from stoic_assets.core.evolution.objective import objectives
from stoic_assets.core.evolution.said_examples import only_said
from stoic_assets.core.evolution.stoic_evaluation import StoicEvaluation, VirtueFinding
from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.formatting import plural
from stoic_assets.core.table_rows import Row, by_trial
from stoic_assets.core.virtues import TITLES, VIRTUES, Virtue

ReflectiveRecord = TypedDict(
    "ReflectiveRecord", {"Inputs": dict[str, str], "Generated Outputs": dict[str, str], "Feedback": str}
)


class NothingToLearn(StoicError):
    """A job of the batch has no trial that evolution may learn from."""


@dataclass(frozen=True)
class Trace:
    """One trial: its score (0–1), what was said, what the judges found, and how the agent failed if it did.

    `results` are its rows of `assertion_results` that have a weight and could be decided. `scale` is that of its
    evaluation.
    """

    trial_id: str
    task_id: str
    score: float
    turns: Sequence[Row]
    evaluation: StoicEvaluation | None
    failure: str | None = None
    results: Sequence[Row] = ()
    scale: str = ""


@dataclass(frozen=True)
class Batch:
    """The fields of GEPA's `EvaluationBatch`, aligned: one entry for each trial or job, its traces in `trajectories`.

    `outputs` are the agent's replies by trial. An objective is a virtue, or `assertion`, the share of assertions that
    held, 0–1; one that was not scored is absent.
    """

    outputs: list[dict[str, list[str]]]
    scores: list[float]
    trajectories: list[list[Trace]]
    objective_scores: list[dict[str, float]]

    @property
    def scale(self) -> str:
        """What must be equal where scores are compared, as in the fitness update; no field, since GEPA has none."""
        return next((trace.scale for entry in self.trajectories for trace in entry), "")


def evaluation_batch(
    evaluations: Iterable[StoicEvaluation],
    trials: Iterable[Row],
    turns: Iterable[Row],
    jobs: Sequence[str] | None = None,
    results: Iterable[Row] = (),
    scale: str = "",
) -> Batch:
    """The trials of one evaluation as a batch, by trial id; with `jobs`, one entry for each of these, as GEPA needs it.

    `trials`, `turns` and `results` are rows of those tables and of `assertion_results`, `scale` is the key of the
    evaluation's scale. A trial in which the agent failed scores 0. Raises `NothingToLearn` for a holdout job or one
    without a scored trial: missing scores are not replaced by a number.
    """
    evaluations, trials = list(evaluations), list(trials)
    traces = [replace(trace, scale=scale) for trace in _traces(evaluations, trials, turns, results)]
    if jobs is None:
        return _batch([[trace] for trace in traces])
    by_job = grouped((trace.task_id, trace) for trace in traces)
    if missing := [job for job in jobs if job not in by_job]:
        held_out = {row["job"] for row in trials if row["holdout"]}
        raise NothingToLearn(_why(missing, {each.task_id for each in evaluations if not each.holdout} - held_out))
    return _batch([by_job[job] for job in jobs])


def _why(missing: Sequence[str], held: Collection[str]) -> str:
    """Why jobs have no score; those `held` have a valid trial, and the agent did not fail in it."""
    if unexercised := [job for job in dict.fromkeys(missing) if job in held]:
        return f"no virtue was exercised in {', '.join(unexercised)}; leave the job out, or give it more repeats"
    return f"no scored trial to learn from: {', '.join(missing)}; evaluate again, or leave holdout jobs out"


def reflective_dataset(
    trajectories: Iterable[Sequence[Trace]], components: Iterable[str]
) -> dict[str, list[ReflectiveRecord]]:
    """One record for each trial and component; GEPA's reflection must find out which component is responsible."""
    traces = [trace for of_entry in trajectories for trace in of_entry]
    return {component: [_record(trace) for trace in traces] for component in components}


def _traces(
    evaluations: Iterable[StoicEvaluation], trials: Iterable[Row], turns: Iterable[Row], results: Iterable[Row]
) -> list[Trace]:
    said = by_trial(sorted(turns, key=lambda row: int(row["turn"])))
    checked = by_trial(filter(counts, results))
    open_trials = {row["trial_id"]: row for row in trials if not row["holdout"]}
    open_ones = [each for each in evaluations if each.id in open_trials and not each.holdout]
    judged = only_said(open_ones, (row for each in open_ones for row in said[each.id]))
    traces = [
        Trace(each.id, each.task_id, score, said[each.id], each, results=checked[each.id])
        for each in judged
        if (score := each.overall_score) is not None
    ]
    failed = [row for row in open_trials.values() if row["outcome"] == "agent_error"]
    traces += [Trace(t["trial_id"], t["job"], 0.0, said[t["trial_id"]], None, t["detail"] or "") for t in failed]
    return sorted(traces, key=lambda trace: trace.trial_id)


def _batch(entries: Sequence[list[Trace]]) -> Batch:
    return Batch(
        outputs=[{trace.trial_id: [*_numbered(trace, "agent").values()] for trace in entry} for entry in entries],
        scores=[fmean(trace.score for trace in entry) for entry in entries],
        trajectories=list(entries),
        objective_scores=[_objective_scores(entry) for entry in entries],
    )


def _objective_scores(traces: Sequence[Trace]) -> dict[str, float]:
    found = objectives([trace.evaluation for trace in traces if trace.evaluation], {})
    held = [share for trace in traces if (share := _held(trace)) is not None]
    checked = {"assertion": fmean(held)} if held else {}
    return {virtue: objective["mean"] for virtue, objective in found.items()} | checked


def _held(trace: Trace) -> float | None:
    """The share of its assertions that held, by weight; None without any that has one."""
    weight = sum(row["weight"] for row in trace.results)
    return sum(row["weight"] for row in trace.results if row["passed"]) / weight if weight else None


def _record(trace: Trace) -> ReflectiveRecord:
    """The record of a trial; messages keep their numbers, so that the order of the conversation is not lost."""
    return {
        "Inputs": {"job": trace.task_id, **_numbered(trace, "user")},
        "Generated Outputs": _numbered(trace, "agent"),
        "Feedback": _feedback(trace),
    }


def _numbered(trace: Trace, speaker: str) -> dict[str, str]:
    return {f"message {row['turn']}": row["content"] for row in trace.turns if row["speaker"] == speaker}


def _feedback(trace: Trace) -> str:
    """What it did not do, then the scores and reasons of the judges, the worst virtue first."""
    if trace.evaluation is None:
        return f"The agent failed and scores 0: {trace.failure or 'it gave no reason'}"
    findings = trace.evaluation.virtue_scores
    worst_first = sorted(findings, key=lambda virtue: findings[virtue].score)
    judged = (_line(virtue, findings[virtue]) for virtue in worst_first)
    lines = [*_undone(trace), f"Virtue overall {trace.score:.2f} of 1.", *judged]
    missing = [TITLES[virtue] for virtue in VIRTUES if virtue not in findings]
    return "\n".join([*lines, f"Not scored: {', '.join(missing)}."] if missing else lines)


def _undone(trace: Trace) -> list[str]:
    failed = [name_or_text(row["assertion"], row["text"]) for row in trace.results if not row["passed"]]
    checks = plural(len(trace.results), "check")
    return [f"Of {checks} of what the agent did, {len(failed)} failed: {'; '.join(failed)}."] if failed else []


def _line(virtue: Virtue, found: VirtueFinding) -> str:
    parts = [f"{TITLES[virtue]}: {found.score:.2f} (confidence {found.confidence:.2f}).", found.reasoning]
    if found.supporting_examples:
        parts.append("Said: " + "; ".join(f"“{quote}”" for quote in found.supporting_examples))
    if found.improvement_suggestions:
        parts.append("Advice: " + "; ".join(found.improvement_suggestions))
    return " ".join(part for part in parts if part)
