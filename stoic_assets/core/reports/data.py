"""What a report is made from: rows of the tables of one evaluation, and some of a version to compare it with.

A column that is absent counts as null. The caller supplies the rows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from stoic_assets.core import rounding
from stoic_assets.core.presentation.formatting import as_moment, is_missing
from stoic_assets.core.table_rows import Row, Rows


@dataclass(frozen=True)
class EvaluationRows:
    """Rows of one evaluation: its own of `evaluations`, and its tables, which the other fields name.

    `evaluation` and `evaluation_scores` are single rows.
    """

    evaluation: Row
    trials: Rows = ()
    turns: Rows = ()
    observations: Rows = ()
    virtue_scores: Rows = ()
    trial_virtues: Rows = ()
    task_scores: Rows = ()
    tone_scores: Rows = ()
    assertion_results: Rows = ()
    composite_scores: Rows = ()
    evaluation_virtues: Rows = ()
    evaluation_scores: Row = field(default_factory=dict)
    weak_virtues: Rows = ()
    job_reliability: Rows = ()
    llm_calls: Rows = ()
    fitness_updates: Rows = ()


@dataclass(frozen=True)
class ReportData(EvaluationRows):
    """The tables of the evaluation that a report is about, and what else it tells.

    `jobs` are those used in judging: name, facts, tasks and scenarios as in `Job`, what their seeds `told` the agent,
    the Cypher of their `setups`, and whether they were `corrected` after their conversations; a corrected one that is
    not `kept` is given in its form before that. `virtue_trends` contains the agent's other versions too, except those
    `without_verdict`, which have no finished and conclusive evaluation. `version_comparisons` contains only the
    comparison with `base`, of which only some tables are given; `uncompared` says why there is none with the version
    that is known to be the base, and what to do; `comparable` is an earlier version for a report without any base.
    `judge_calibration` contains all comparisons of judges with people. Above `invalid_trials_threshold`, a share of the
    trials, 0–1, there is no verdict. A virtue is weak with a score below `weak_below`, 0–1, and a trial fails if the
    mean of its tasks is below `task_at_least`, 0–1. `fitness_is_sent` where the evolution service has an address.
    """

    virtue_trends: Rows = ()
    without_verdict: Sequence[str] = ()
    version_comparisons: Rows = ()
    judge_calibration: Rows = ()
    jobs: Rows = ()
    invalid_trials_threshold: float = 0.10
    weak_below: float = 0.7
    task_at_least: float = 0.7
    base: EvaluationRows | None = None
    uncompared: str | None = None
    comparable: str | None = None
    fitness_is_sent: bool = True


def values(rows: Iterable[Row], column: str) -> list[float]:
    """The values in a column of numbers that are neither null nor NaN."""
    return [row[column] for row in rows if not is_missing(row.get(column))]


def mean(rows: Iterable[Row], column: str) -> float | None:
    """The mean of the `values` of a column; None where there are none."""
    return rounding.mean(values(rows, column))


def without_void_totals(scores: Rows, trials: Rows) -> Rows:
    """Rows of `composite_scores`, without their totals where no total measures anything.

    That is so if the agent failed in every trial that has a total, and no task, assertion or time was asked of it: the
    total is 0 then. The macro `total_measures_something` decides the same for the mean in `evaluation_scores` and for
    comparisons.
    """
    timed = {row["trial_id"] for row in trials if not is_missing(row.get("aspirational_ms"))}
    measured = (
        row.get("outcome") != "agent_error" or not is_missing(row.get("passed")) or row.get("trial_id") in timed
        for row in scores
        if not is_missing(row.get("overall"))
    )
    return scores if any(measured) else [{**row, "overall": None} for row in scores]


def latest(rows: Iterable[Row], column: str) -> datetime | None:
    """The latest time in a column; None where there is none."""
    return max(filter(None, (as_moment(row.get(column)) for row in rows)), default=None)
