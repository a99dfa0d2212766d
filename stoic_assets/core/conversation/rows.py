"""Evidence as rows of the tables `trials`, `turns` and `observations`."""

import json
from collections.abc import Sequence

from stoic_assets.core.conversation.evidence import Evidence, Observation, Turn
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.trial import Trial
from stoic_assets.core.rounding import mean
from stoic_assets.core.table_rows import Row
from stoic_assets.core.text.json_text import json_text


def trial_row(evidence: Evidence, job: Job, suspected: Sequence[str]) -> Row:
    """One row of `trials`; `suspected` are the reasons to suspect that the agent tried to steer a judge."""
    trial = evidence.trial
    return {
        "trial_id": trial.trial_id, "job": trial.job, **_scenario_columns(trial, job), "condition": trial.condition,
        "repeat": trial.repeat, "outcome": evidence.outcome, "detail": evidence.detail,
        "session_id": evidence.session_id, "user": trial.user, "failure_count": evidence.failure_count,
        "average_response_ms": average_response_ms(evidence), "turns": len(evidence.turns),
        "started_at": evidence.started_at, "ended_at": evidence.ended_at, "evaluator_model": evidence.evaluator_model,
        "suspected_injection": list(suspected), **job_columns(job),
    }


def _scenario_columns(trial: Trial, job: Job) -> Row:
    """The columns of `trials` that describe its scenario; neither judges nor raters are shown what is expected."""
    if not trial.scenario:
        return {"scenario": None, "category": None, "expected": None}
    played = job.scenario(trial.scenario)
    expected = json_text(played.expected) if played.expected else None
    return {"scenario": played.id, "category": played.category, "expected": expected}


def job_columns(job: Job) -> Row:
    """The columns of `trials` that describe the job; scores and comparisons use them."""
    return {
        "holdout": job.holdout, "tags": list(job.tags), "job_hash": job.question_hash(),
        "aspirational_ms": job.aspirational_average, "planned_tasks": len(job.tasks), "virtue_weights": job.weights(),
    }


def average_response_ms(evidence: Evidence) -> float | None:
    """Mean time of the agent's replies in milliseconds; None when it never replied."""
    times = [turn.response_ms for turn in evidence.turns if turn.speaker == "agent"]
    return mean(times)


def turn_rows(evidence: Evidence) -> list[Row]:
    """The rows of `turns`; a message of the user has neither a time nor attempts."""
    return [
        {
            "trial_id": evidence.trial.trial_id, "turn": turn.turn, "speaker": turn.speaker, "content": turn.content,
            "response_ms": turn.response_ms if turn.speaker == "agent" else None,
            "attempts": turn.attempts if turn.speaker == "agent" else None,
            "events": json_text(list(turn.events)),
        }
        for turn in evidence.turns
    ]


def observation_rows(evidence: Evidence) -> list[Row]:
    """The rows of `observations`."""
    return [
        {
            "trial_id": evidence.trial.trial_id, "assertion": seen.assertion, "kind": seen.kind, "text": seen.text,
            "parameters": json_text(seen.parameters), "result": json_text(seen.result), "error": seen.error,
        }
        for seen in evidence.observations
    ]


def evidence_of(trial: Row, turns: list[Row], observations: list[Row]) -> Evidence:
    """The evidence that rows of one trial were made from."""
    return Evidence(
        trial=Trial(
            trial["trial_id"], trial["job"], trial["condition"], trial["repeat"], trial["user"], trial["scenario"]
        ),
        outcome=trial["outcome"],
        turns=tuple(
            Turn(
                row["turn"], row["speaker"], row["content"], row["response_ms"] or 0.0, row["attempts"] or 0,
                tuple(json.loads(row["events"])),
            )
            for row in sorted(turns, key=lambda row: row["turn"])
        ),
        observations=tuple(
            Observation(
                row["assertion"], row["kind"], row["text"], json.loads(row["parameters"]), json.loads(row["result"]),
                row["error"],
            )
            for row in observations
        ),
        session_id=trial["session_id"], failure_count=trial["failure_count"],
        started_at=trial["started_at"].isoformat(), ended_at=trial["ended_at"].isoformat(),
        evaluator_model=trial["evaluator_model"], detail=trial["detail"],
    )
