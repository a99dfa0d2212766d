"""Reads a stored evaluation as a side of a comparison."""

from collections.abc import Sequence

from stoic_assets.adapters.ratings.calibration_store import calibration_rows
from stoic_assets.adapters.warehouse.sql_models import open_models
from stoic_assets.adapters.warehouse.stored_tables import StoredTables
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.calibration.against_people import in_short
from stoic_assets.core.calls.served_models import SERVED, served_models
from stoic_assets.core.comparison.judge_drift import judged_at
from stoic_assets.core.comparison.side import ComparisonRefused, Side
from stoic_assets.core.grouping import grouped
from stoic_assets.core.judging.silent_judges import answers
from stoic_assets.core.presentation.confidence import confidence_sources
from stoic_assets.core.table_rows import Row

READ = ("trials", "virtue_scores", "task_scores", "assertion_results", "composite_scores")
"""The tables of an evaluation without which it cannot be compared."""
ASSERTION = ("trial_id", "assertion", "text", "weight", "expected", "passed")
"""The columns of `assertion_results` that a comparison uses."""
VIRTUE = ("trial_id", "virtue", "score", "confidence_source")
"""The columns of `trial_virtues` that a comparison uses."""
CALL = (*SERVED, "cached", "error", "time")
"""The columns of `llm_calls` that a comparison uses."""


def read_side(workplace: Workplace, agent_version: str, evaluation_id: str) -> Side:
    """One stored evaluation as a side of a comparison.

    Raises `ComparisonRefused` when it is not judged yet, or is judged again or deleted while it is read, and
    `ConfigurationError` when it has lost a table.
    """
    stored = StoredTables(workplace.warehouse, (agent_version, evaluation_id))
    head = stored.head()
    try:
        if head:
            stored.refuse_lost(head["status"], READ)
        if not head or not all(map(stored.has, ("virtue_scores", "composite_scores"))):
            raise ComparisonRefused(f"{agent_version} (evaluation {evaluation_id}) is not judged yet")
        return _side(stored, head)
    finally:
        if stored.head() != head:
            changed = f"{agent_version} (evaluation {evaluation_id}) was judged again or deleted meanwhile"
            raise ComparisonRefused(f"{changed}; compare again")


def _side(stored: StoredTables, evaluation: Row) -> Side:
    """An evaluation by its tables and its own row."""
    trials, verdicts = stored.read("trials"), stored.read("virtue_scores")
    calls = stored.read_if_stored("llm_calls", CALL)
    written_at = max((row["evaluated_at"] for row in verdicts), default=evaluation["started_at"])
    tasks = stored.read_if_stored("task_scores")
    virtues = _model_rows(stored, "trial_virtues", VIRTUE)
    judges = frozenset(row["judge_model"] for row in verdicts if row["error"] is None)
    return Side(
        agent_version=evaluation["agent_version"],
        evaluation_id=evaluation["evaluation_id"],
        started_at=evaluation["started_at"],
        judged_at=judged_at(calls, judges, len(verdicts)) or written_at,
        status=evaluation["status"],
        offline=evaluation["offline"],
        scored_trials=evaluation["scored_trials"] or 0,
        invalid_trials=evaluation["invalid_trials"] or 0,
        evaluator_model=evaluation["evaluator_model"] or "",
        judges=judges,
        prompts=_prompts(trials, verdicts, tasks),
        built_in_prompts=evaluation["prompt_hash"],
        stoic_eval=evaluation["stoic_eval"],
        jobs={row["job"]: row["job_hash"] for row in trials},
        measures=_model_rows(stored, "job_measures"),
        confidences=confidence_sources(virtues),
        agreement=in_short(calibration_rows(stored.warehouse), verdicts),
        trials=stored.read("composite_scores"),
        answers=answers(trials, verdicts, tasks),
        assertions=stored.read_if_stored("assertion_results", ASSERTION),
        virtues=virtues,
        served=served_models(calls),
    )


def _model_rows(stored: StoredTables, model: str, columns: Sequence[str] = ()) -> list[Row]:
    """The rows of an SQL model, or some of their columns; computed if its run was cut short before it stored them."""
    if stored.has(model):
        return stored.read(model, columns)
    with open_models(stored.warehouse, *stored.key) as models:
        return models.rows(model)


def _prompts(
    trials: Sequence[Row], verdicts: Sequence[Row], tasks: Sequence[Row]
) -> dict[tuple[str, str], frozenset[str]]:
    """The judges' prompts."""
    jobs = {row["trial_id"]: row["job"] for row in trials}
    asked = grouped(
        ((jobs[row["trial_id"]], about), row["prompt_hash"])
        for about, rows in (("virtues", verdicts), ("tasks", tasks)) for row in rows
    )  # fmt: skip
    return {question: frozenset(hashes) for question, hashes in asked.items()}
