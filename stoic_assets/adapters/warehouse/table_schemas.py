"""The declared columns of every table and SQL model: one schema for every writer.

`docs/tables.md` gives meaning and unit of each column. Only declarations belong here; `table_rows` checks rows, and
`parquet_files` turns them into Parquet.
"""

from dataclasses import dataclass

from stoic_assets.core.errors import StoicError
from stoic_assets.core.virtues import VIRTUES

Columns = dict[str, str]
"""Column name to kind; a kind that ends in `?` may be null."""

DUCKDB_TYPES = {
    "text": "VARCHAR",
    "json": "VARCHAR",
    "number": "DOUBLE",
    "count": "BIGINT",
    "flag": "BOOLEAN",
    "time": "TIMESTAMP WITH TIME ZONE",
    "texts": "VARCHAR[]",
    "aspects": "STRUCT(aspect VARCHAR, assessment VARCHAR, example VARCHAR, score DOUBLE)[]",
    "weights": f"STRUCT({', '.join(f'{virtue} DOUBLE' for virtue in VIRTUES)})",
}

COMMON: Columns = {"evaluation_id": "text", "evaluated_at": "time"}
"""In every file; `agent_version` comes from the folder's name."""


@dataclass(frozen=True)
class Kind:
    """The kind of a column and whether it may be null."""

    name: str
    nullable: bool

    @property
    def duckdb(self) -> str:
        """The type in DuckDB's SQL."""
        return DUCKDB_TYPES[self.name]


# fmt: off
FACTS: dict[str, Columns] = {
    "evaluations": {
        "agent": "text", "started_at": "time", "ended_at": "time?", "status": "text", "offline": "flag",
        "agent_model": "text?", "evaluator_model": "text?", "judge_models": "texts?", "spec_hash": "text?",
        "prompt_hash": "text?", "released_at": "time?", "planned_trials": "count", "scored_trials": "count?",
        "invalid_trials": "count?", "cost_usd": "number?", "parents": "texts?", "stoic_eval": "text?",
    },
    "trials": {
        "trial_id": "text", "job": "text", "scenario": "text?", "category": "text?", "expected": "json?",
        "holdout": "flag", "tags": "texts?", "job_hash": "text?", "condition": "text", "repeat": "count",
        "outcome": "text", "detail": "text?", "session_id": "text?", "user": "text?", "failure_count": "count",
        "average_response_ms": "number?", "aspirational_ms": "number?", "planned_tasks": "count",
        "virtue_weights": "weights?", "turns": "count", "started_at": "time?", "ended_at": "time?",
        "evaluator_model": "text?", "suspected_injection": "texts?",
    },
    "turns": {
        "trial_id": "text", "turn": "count", "speaker": "text", "content": "text", "response_ms": "number?",
        "attempts": "count?", "events": "json?",
    },
    "observations": {
        "trial_id": "text", "assertion": "text", "kind": "text", "text": "text", "parameters": "json?",
        "result": "json?", "error": "text?",
    },
    "virtue_scores": {
        "trial_id": "text", "virtue": "text", "judge_model": "text", "sample": "count", "score": "number?",
        "confidence": "number?", "confidence_source": "text?", "self_confidence": "number?", "reasoning": "text?",
        "aspects": "aspects?", "supporting_examples": "texts?", "improvement_suggestions": "texts?",
        "exercised": "flag?", "grounded": "number?", "prompt_hash": "text?", "error": "text?", "unpaid": "flag?",
    },
    "task_scores": {
        "trial_id": "text", "task": "text", "type": "text", "task_text": "text", "score": "number?",
        "reason": "text?", "judge_model": "text?", "missing": "json?", "prompt_hash": "text?", "error": "text?",
        "unpaid": "flag?",
    },
    "tone_scores": {
        "trial_id": "text", "score": "number?", "reason": "text?", "judge_model": "text?", "missing": "json?",
        "error": "text?", "unpaid": "flag?",
    },
    "assertion_results": {
        "trial_id": "text", "assertion": "text", "kind": "text", "text": "text", "weight": "number",
        "expected": "json?", "actual": "json?", "passed": "flag?", "error": "text?",
    },
    "fitness_updates": {
        "idempotency_key": "text", "agent_id": "text", "fitness": "number?", "fitness_low": "number?",
        "fitness_high": "number?", "fitness_why": "text?", "objectives": "json?", "improvement_areas": "json?",
        "weak_virtues": "texts?", "severity": "json?", "trial_ids": "texts?", "delivered_at": "time?",
        "floors": "json?", "floor_violations": "texts?", "uncertain_virtues": "texts?", "parents": "texts?",
        "scored_trials": "count?", "failed_trials": "count?", "revision": "count?", "conclusive": "flag?",
        "human_evaluations": "count?", "judge_models": "texts?", "conditions": "texts?", "scale": "text?",
        "passed_trials": "count?", "fitness_of_trials": "number?",
    },
    "events": {
        "id": "text", "type": "text", "subject": "text?", "time": "time", "data": "json", "delivered_at": "time?",
    },
    "human_feedback_evaluations": {
        "feedback_id": "text", "kind": "text", "agent_id": "text", "task_id": "text", "trial_id": "text?",
        "given_at": "time", "overall_score": "number", "overall_confidence": "number", "acceptance_status": "text?",
        "virtue_scores": "json", "unmapped_dimensions": "texts", "metrics": "json", "interpreter": "text?",
        "origin": "text?",
    },
    "judge_calibration": {
        "virtue": "text", "judge_model": "text", "measure": "text", "estimate": "number?", "low": "number?",
        "high": "number?", "why": "text?", "items": "count", "raters": "count", "confidence_map": "json?",
        "rubric": "text?",
    },
    "rater_reliability": {
        "question": "text", "coefficient": "text", "estimate": "number?", "low": "number?", "high": "number?",
        "why": "text?", "gate": "text?", "more_raters": "count?", "gate_why": "text?", "page_id": "text?",
        "rubric": "text?",
    },
    "rater_checks": {"rater_id": "text", "check": "text", "detail": "text", "page_id": "text?", "rubric": "text?"},
    "human_ratings": {
        "rater_id": "text", "test_id": "text", "trial_id": "text?", "appropriateness": "count", "helpfulness": "count",
        "stoic_authenticity": "count", "emotional_intelligence": "count", "actionability": "count?",
        "overall": "text", "comments": "text", "seconds": "number?", "order_index": "count?", "practice": "flag",
        "attention": "flag", "repeat_of": "text?", "edits": "count?", "page_id": "text?", "rated_at": "time",
    },
    "version_comparisons": {
        "base": "text", "candidate": "text", "measure": "text", "condition": "text", "gating": "flag", "jobs": "count",
        "base_mean": "number?", "candidate_mean": "number?", "difference": "number?", "low": "number?",
        "high": "number?", "low_90": "number?", "high_90": "number?", "p": "number?", "p_adjusted": "number?",
        "detectable": "number?", "delta": "number", "verdict": "text", "why": "text?", "base_evaluation_id": "text",
        "base_started_at": "time", "offline": "flag", "notes": "texts", "weaker_assertions": "texts?",
    },
    "judge_drift": {
        "reference_id": "text", "judge_models": "texts", "virtue": "text", "transcripts": "count", "shift": "number?",
        "low": "number?", "high": "number?", "p": "number?", "noise_sd": "number?", "detectable": "number?",
        "alarm": "flag", "why": "text?",
    },
    "llm_calls": {
        "call_id": "text", "trial_id": "text?", "role": "text", "model": "text", "served_model": "text?",
        "cached": "flag", "prompt_tokens": "count?", "completion_tokens": "count?", "cost_usd": "number?",
        "latency_ms": "number", "error": "text?", "time": "time?",
    },
}
"""Tables that Python writes."""

MODELS: dict[str, Columns] = {
    "trial_virtues": {
        "trial_id": "text", "virtue": "text", "score": "number?", "confidence": "number?",
        "confidence_source": "text?", "verdicts": "count", "failed": "count", "exercised": "flag?",
        "grounded": "number?", "judges": "texts?",
    },
    "composite_scores": {
        "trial_id": "text", "job": "text", "scenario": "text?", "condition": "text", "repeat": "count",
        "outcome": "text", "valid": "flag", "timing": "number?", "task": "number?", "assertion": "number?",
        "failure_penalty": "number", "overall": "number?", "tone": "number?", "virtue_overall": "number?",
        "virtue_confidence": "number?", "virtue_overall_weighted": "number?", "virtues_scored": "count",
        "virtues_not_exercised": "count", "average_response_ms": "number?", "failure_count": "count",
        "passed": "flag?",
    },
    "job_measures": {
        "job": "text", "scenario": "text?", "condition": "text", "measure": "text", "mean": "number", "trials": "count",
        "invalid_trials": "count",
    },
    "job_reliability": {
        "job": "text", "scenario": "text?", "condition": "text", "trials": "count", "passed": "count",
        "invalid_trials": "count", "k": "count", "estimate": "number?",
    },
    "evaluation_virtues": {
        "agent": "text", "virtue": "text", "score": "number?", "confidence": "number?", "confidence_above": "number?",
        "trials": "count", "not_exercised": "count", "judges": "texts?",
    },
    "evaluation_scores": {
        "agent": "text", "average_overall": "number?", "fitness": "number?", "planned_trials": "count",
        "scored_trials": "count", "invalid_trials": "count", "conclusive": "flag", "jobs": "count?", "task": "number?",
        "timing": "number?", "assertion": "number?", "tone": "number?", "suite": "texts?",
    },
    "weak_virtues": {
        "virtue": "text", "score": "number", "confidence": "number", "severity": "number", "suggestions": "texts",
        "trials": "count",
    },
    "virtue_trends": {
        "agent": "text", "virtue": "text", "mean": "number", "n": "count", "slope": "number?", "trend": "text",
        "released_at": "time", "place": "count", "judges": "texts?", "slope_n": "count",
    },
    "measure_history": {
        "agent": "text", "measure": "text", "mean": "number", "jobs": "count", "n": "count", "base": "text?",
        "verdict": "text?", "released_at": "time",
    },
}
# fmt: on
"""The tables that the SQL models of `dbt_like_sql` give; models across evaluations are views and have no files."""

TABLES: dict[str, Columns] = FACTS | MODELS


def columns_of(table: str) -> dict[str, Kind]:
    """The columns of a file of `table`, except `agent_version`. Raises `StoicError` for an unknown table."""
    if table not in TABLES:
        where = "stoic_assets/adapters/warehouse/table_schemas.py"
        raise StoicError(f"there is no table {table!r}; declare its columns in {where}")
    return {name: Kind(kind.removesuffix("?"), kind.endswith("?")) for name, kind in (TABLES[table] | COMMON).items()}


def duckdb_columns(table: str) -> dict[str, str]:
    """The columns of a file of `table` and their types in DuckDB's SQL. Raises as `columns_of` does."""
    return {name: kind.duckdb for name, kind in columns_of(table).items()}
