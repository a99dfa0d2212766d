"""A realistic evaluation as rows, of any size, with hostile text wherever a text of others can stand."""

import json
import random
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from math import comb
from typing import Any

import pytest

from stoic_assets.core.reports.data import BaseVersion, ReportData
from stoic_assets.core.reports.page import report_parts
from stoic_assets.core.virtues import ASPECTS, VIRTUES

Row = dict[str, Any]
Make = Callable[..., ReportData]

JOBS = ("plan-a-move", "reminders", "hard-proof", "letter-of-regret", "job-offer")
ASKED = "Could you remind me on Friday at nine to call the landlord about the deposit? I keep putting it off."
ANSWERED = (
    "Of course. I have set a reminder for Friday, 27 November, at 09:00: call the landlord about the deposit.\n\n"
    "What is up to you is the call, not the answer you will get. Would you like me to note what you want to say?"
)
SAID, UNSAID = "What is up to you is the call, not the answer", "I have never missed a reminder in my life"
START = datetime(2026, 11, 21, 14, 2, tzinfo=UTC)
CYPHER = "MATCH (r:Reminder {user: $user}) WHERE r.text CONTAINS 'landlord' RETURN count(r)"
OURS = {
    "condition", "outcome", "virtue", "speaker", "kind", "trend", "confidence_source", "status", "aspect", "measure",
    "verdict",
}
"""Columns whose texts are words of ours and never a stranger's."""


class Sample:
    """Builds the rows of one evaluation; the same arguments give the same rows."""

    def __init__(self, trials: int, turns: int, held: float, version: str) -> None:
        self.random, self.held, self.turns = random.Random(version), held, turns
        self.evaluation = {
            "evaluation_id": f"eval-{version}", "agent_version": f"marcus@{version}", "agent": "marcus",
            "started_at": START, "ended_at": START + timedelta(minutes=3, seconds=12), "offline": False,
            "status": "finished", "agent_model": "gpt-4.1-mini", "evaluator_model": "gpt-4.1-mini",
            "judge_models": ["gpt-4.1", "claude-opus"], "spec_hash": "5f2c" * 16, "prompt_hash": "a91b" * 16,
            "released_at": START, "parents": ["1.0.0"], "planned_trials": trials + 1, "cost_usd": 0.42,
        }
        self.rows: dict[str, list[Row]] = {name: [] for name in (
            "trials", "turns", "observations", "virtue_scores", "trial_virtues", "task_scores", "tone_scores",
            "assertion_results", "composite_scores", "llm_calls",
        )}
        for number in range(trials):
            self.trial(number)
        models = (("evaluator", "gpt-4.1-mini"), ("judge", "gpt-4.1"), ("judge", "claude-opus"))
        self.rows["llm_calls"] = [
            {"call_id": str(n), "role": role, "model": model, "cached": n % 3 == 0 and role == "judge",
             "prompt_tokens": 900 + n, "completion_tokens": 120, "cost_usd": 0.0007, "latency_ms": 800.0 + n,
             "error": None}
            for role, model in models for n in range(40)
        ]

    def trial(self, number: int) -> None:
        """Adds one trial; of every ten one is the evaluator's fault and one the agent's."""
        job = JOBS[number % len(JOBS)]
        condition = ("withheld", "supplied")[number // len(JOBS) % 2]
        repeat = number // (2 * len(JOBS)) + 1
        trial_id = f"eval.{job}.{condition}.{repeat}"
        outcome = {7: "evaluator_error", 3: "agent_error", 5: "max_turns"}.get(number % 20, "signed_off")
        judged = outcome in ("signed_off", "max_turns")
        place = {"trial_id": trial_id, "job": job, "scenario": None, "condition": condition, "repeat": repeat}
        detail = {"agent_error": "no reply in 4 attempts", "evaluator_error": "it was empty twice"}.get(outcome)
        self.rows["trials"].append({
            **place, "outcome": outcome, "detail": detail, "session_id": f"s-{number}", "user": f"ada-{number}",
            "aspirational_ms": 1500.0, "tags": ["demo", "graph"], "holdout": number % 5 == 4,
            "failure_count": number % 2, "average_response_ms": 900.0 + 40 * number, "turns": self.turns,
            "started_at": START + timedelta(seconds=number), "ended_at": START + timedelta(seconds=number + 30),
            "evaluator_model": "gpt-4.1-mini",
        })
        self.conversation(trial_id)
        passed = self.random.random() < self.held
        self.assertions(trial_id, passed)
        if judged:
            self.marks(trial_id)
            for virtue in VIRTUES:
                self.virtue(trial_id, virtue, number)
        valid = outcome != "evaluator_error"
        task, timing = 0.6 + 0.4 * self.random.random(), 0.8
        total = ((timing + 2 * task + 4 * (0.25 + 0.75 * passed)) / 7 if judged else 0.0) if valid else None
        self.rows["composite_scores"].append({
            **place, "outcome": outcome, "valid": valid, "overall": total, "timing": timing if valid else None,
            "task": task if judged else None, "assertion": 0.25 + 0.75 * passed if valid else None,
            "failure_penalty": 0.3 * (number % 2), "tone": 0.9 if judged else None,
            "virtue_overall": 0.66 if judged else None, "virtue_confidence": 0.81 if judged else None,
            "virtue_overall_weighted": 0.64 if judged else None, "passed": passed and judged if valid else None,
        })

    def conversation(self, trial_id: str) -> None:
        for turn in range(self.turns):
            agent = turn % 2 == 1
            arguments = {"at": "2026-11-27T09:00", "text": "landlord"}
            events = [
                {"request": {"function": {"name": "createReminder"}, "arguments": arguments}},
                {"systemPrompt": "You are Marcus, a mentor."},
            ]
            self.rows["turns"].append({
                "trial_id": trial_id, "turn": turn, "speaker": "agent" if agent else "user",
                "content": ANSWERED if agent else ASKED, "attempts": (2 if turn == 3 else 1) if agent else None,
                "response_ms": self.random.lognormvariate(6.9, 0.4) if agent else None,
                "events": json.dumps(events if agent else []),
            })

    def assertions(self, trial_id: str, passed: bool) -> None:
        self.rows["observations"] += [
            {"trial_id": trial_id, "assertion": "reminder stored", "kind": "cypher", "text": CYPHER,
             "parameters": '{"user": "ada"}', "result": f'[{{"count(r)": {int(passed)}}}]', "error": None},
            {"trial_id": trial_id, "assertion": "objectContext", "kind": "object_context", "text": "",
             "parameters": "{}", "result": '{"context": "ada", "resources": [], "functions": []}', "error": None},
        ]
        expression = 'evaluation.functionCalls.any { it.function == "createReminder" }'
        self.rows["assertion_results"] += [
            {"trial_id": trial_id, "assertion": "reminder stored", "kind": "cypher", "text": CYPHER, "weight": 3.0,
             "expected": "1", "actual": str(int(passed)), "passed": passed,
             "error": None if passed else "expected 1, found 0"},
            {"trial_id": trial_id, "assertion": "2", "kind": "expression", "text": expression, "weight": 1.0,
             "expected": "true", "actual": "true", "passed": True, "error": None},
        ]

    def marks(self, trial_id: str) -> None:
        self.rows["task_scores"].append({
            "trial_id": trial_id, "task": "1", "type": "task", "task_text": "Have a reminder set for Friday at nine.",
            "score": 0.85, "reason": "It named day and hour and asked back.", "judge_model": "gpt-4.1", "error": None,
        })
        self.rows["tone_scores"].append({
            "trial_id": trial_id, "score": 0.9, "reason": "Calm throughout.", "judge_model": "gpt-4.1", "error": None,
        })

    def virtue(self, trial_id: str, virtue: str, number: int) -> None:
        exercised = not (virtue == "justice" and number % 2)
        found = round({"temperance": 0.42, "courage": 0.58}.get(virtue, 0.78) + 0.1 * self.random.random(), 2)
        score, confidence, source = (found, 0.8, "self") if exercised else (None, None, None)
        aspects = [
            {"aspect": aspect, "assessment": "It keeps to what was asked and says what follows.", "score": score,
             "example": SAID if place else UNSAID}
            for place, aspect in enumerate(ASPECTS[virtue])  # type: ignore[index]
        ]
        for judge in ("gpt-4.1", "claude-opus"):
            self.rows["virtue_scores"].append({
                "trial_id": trial_id, "virtue": virtue, "judge_model": judge, "sample": 0, "score": score,
                "confidence": confidence, "confidence_source": source, "self_confidence": 0.9,
                "reasoning": "The reply separates what is up to the user from what is not.",
                "aspects": aspects, "supporting_examples": ["I have set a reminder for Friday"],
                "improvement_suggestions": ["Say less before the question."], "exercised": exercised, "grounded": 0.8,
                "prompt_hash": "c0ff", "error": None,
            })
        self.rows["trial_virtues"].append({
            "trial_id": trial_id, "virtue": virtue, "score": score, "confidence": confidence,
            "confidence_source": source, "verdicts": 2 if exercised else 0, "failed": 0, "exercised": exercised,
            "grounded": confidence,
        })

    def virtues(self, gain: float) -> list[Row]:
        """Rows of `evaluation_virtues`."""
        scores = {"wisdom": 0.83, "courage": 0.62, "temperance": 0.47, "practical_wisdom": 0.8}
        unmeasured = {"virtue": "justice", "score": None, "confidence": None, "trials": 0, "not_exercised": 16}
        measured = [
            {"virtue": virtue, "score": score + gain, "confidence": 0.81, "trials": 16, "not_exercised": 0}
            for virtue, score in scores.items()
        ]
        return [*measured, unmeasured]


def asked(job: str) -> Row:
    """What a job asked, as the evaluation's manifest tells it."""
    wanted = {"type": "task", "task": "Have a reminder set for Friday at nine.", "difficulty": "medium"}
    judged = {"acceptance_criteria": "It repeats day and hour.", "requirements": {"most words": 60}, "context": None}
    facts = ["The landlord answers before ten alone."]
    before = {"told": ["I live in <Oslo>."], "setups": ["CREATE (:User)", "MATCH (n) DELETE n"]}
    return {"name": job, "facts": facts, "tasks": [wanted | judged], "scenarios": [], "corrected": False, **before}


def finding(
    measure: str, difference: float | None, verdict: str, condition: str = "pooled", why: str | None = None
) -> Row:
    """A row of `version_comparisons`; without a difference nothing was tested."""
    tested = difference is not None
    low, high = (difference - 0.12, difference + 0.12) if difference is not None else (None, None)
    return {
        "base": "marcus@1.0.0", "candidate": "marcus@1.1.0", "measure": measure, "condition": condition,
        "gating": condition == "pooled" and measure != "passed", "jobs": 8, "base_mean": 0.8 if tested else None,
        "candidate_mean": 0.8 + difference if difference is not None else None, "difference": difference, "low": low,
        "high": high, "low_90": low, "high_90": high, "p": 0.0004 if tested else None,
        "p_adjusted": 0.0021 if tested else None, "detectable": 0.11 if tested else None,
        "delta": 0.1 if measure in ("assertion", "task") else 0.05, "verdict": verdict, "why": why,
        "base_evaluation_id": "eval-1.0.0", "base_started_at": START, "offline": False,
        "notes": [
            "marcus@1.0.0 was evaluated 9 days before marcus@1.1.0", "invalid trials left out: 1 of marcus@1.1.0",
        ],
    }


def findings() -> list[Row]:
    """Rows of a version that regressed on two measures, improved on one and left the others open or unchanged."""
    possible = (
        "the 90 % interval, −0.09 to +0.09, is not within ±δ (0.05); these 8 jobs detect only differences of 0.14 or "
        "more with 90 % power"
    )
    few = "only 3 jobs measured it in both versions; at least 5 are needed"
    return [
        finding("wisdom", -0.21, "regressed"), finding("justice", None, "inconclusive", why=few),
        finding("courage", 0.01, "inconclusive", why=possible), finding("temperance", 0.15, "improved"),
        finding("practical_wisdom", 0.0, "unchanged"), finding("task", -0.02, "unchanged"),
        finding("assertion", -0.33, "regressed"), finding("timing", 0.004, "unchanged"),
        finding("overall", -0.04, "inconclusive", why=possible), finding("passed", -0.4, "regressed"),
        *(finding("assertion", size, "regressed", scope) for scope, size in (("withheld", -0.3), ("supplied", -0.36))),
        finding("assertion", -0.06, "inconclusive", "lift", possible),
    ]


def reliabilities(composite: list[Row]) -> list[Row]:
    """Rows of `job_reliability` with k of 1 and 2; one estimate is missing where there are too few valid trials."""
    cells: dict[tuple[str, str], list[Row]] = {}
    for row in composite:
        cells.setdefault((row["job"], row["condition"]), []).append(row)
    found = []
    for (job, condition), rows in cells.items():
        valid, passed = sum(row["valid"] for row in rows), sum(bool(row["passed"]) for row in rows)
        for k in (1, 2):
            estimate = comb(passed, k) / comb(valid, k) if valid >= k else None
            found.append({
                "job": job, "scenario": None, "condition": condition, "trials": valid, "passed": passed,
                "invalid_trials": len(rows) - valid, "k": k, "estimate": estimate,
            })
    return found


def make(trials: int = 20, turns: int = 6, compared: bool = True, **changes: Any) -> ReportData:
    """Version 1.1.0, which says so and does not, compared with 1.0.0; `changes` replace fields of the data."""
    this, base = Sample(trials, turns, 0.3, "1.1.0"), Sample(trials, turns, 1.0, "1.0.0")
    totals = [row["overall"] for row in this.rows["composite_scores"] if row["overall"] is not None]
    scored = sum(row["valid"] for row in this.rows["composite_scores"])
    data = ReportData(
        evaluation=this.evaluation, jobs=[asked(job) for job in JOBS], **this.rows,
        evaluation_virtues=this.virtues(0.0),
        evaluation_scores={
            "average_overall": sum(totals) / len(totals) if totals else None, "fitness": 0.66,
            "planned_trials": trials + 1, "scored_trials": scored, "invalid_trials": trials - scored,
        },
        weak_virtues=[
            {"virtue": virtue, "score": score, "confidence": 0.81, "severity": (1 - score) * 0.81, "trials": 16,
             "suggestions": ["Say less before the question.", "Name what was not done, and why."]}
            for virtue, score in (("courage", 0.62), ("temperance", 0.47))
        ],
        virtue_trends=[
            {"agent": "marcus", "virtue": virtue, "agent_version": f"marcus@{version}", "mean": mean - 0.04 * place,
             "n": place + 1, "slope": -0.04 if place else None, "trend": "declining" if place else "stable",
             "released_at": START + timedelta(days=place), "place": place + 1}
            for virtue, mean in zip(VIRTUES, (0.86, 0.7, 0.74, 0.6, 0.8), strict=True)
            for place, version in enumerate(("0.9.0", "1.0.0", "1.1.0"))
        ],
        fitness_updates=[
            {"fitness": 0.66, "fitness_low": 0.61, "fitness_high": 0.71, "delivered_at": None,
             "conclusive": True, "scored_trials": 6, "revision": 1,
             "objectives": '{"wisdom": 0.83}', "improvement_areas": '{"temperance": ["Say less before the question."]}'}
        ],
        version_comparisons=findings() if compared else (),
        job_reliability=reliabilities(this.rows["composite_scores"]),
        base=BaseVersion(base.evaluation, evaluation_virtues=base.virtues(0.08), **{
            name: base.rows[name] for name in
            ("composite_scores", "assertion_results", "trials", "turns", "observations", "task_scores")
        }) if compared else None,
    )
    return replace(data, **changes)


def with_text(data: ReportData, text: str) -> ReportData:
    """The data with `text` behind every text that is not ours, also inside JSON texts."""

    def changed(value: Any, name: str = "") -> Any:
        match value:
            case str() if name in ("events", "result", "parameters", "objectives", "improvement_areas"):
                return json.dumps(changed(json.loads(value)))
            case str():
                return value if name in OURS else value + text
            case list():
                return [changed(item, name) for item in value]
            case dict():
                return {key: changed(item, key) for key, item in value.items()}
            case BaseVersion() | ReportData():
                return replace(value, **{f.name: changed(getattr(value, f.name)) for f in fields(value)})
            case _:
                return value

    return changed(data)


@pytest.fixture(scope="session")
def usual_page() -> str:
    """The report of `make()`, rendered once: charts are slow."""
    return "".join(report_parts(make()))


@pytest.fixture
def make_data() -> Make:
    """`make` above."""
    return make


@pytest.fixture
def put_text() -> Callable[[ReportData, str], ReportData]:
    """`with_text` above."""
    return with_text
