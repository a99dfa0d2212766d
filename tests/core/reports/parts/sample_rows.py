"""A realistic evaluation as rows, of any size; the same arguments give the same rows."""

import json
import random
from datetime import UTC, datetime, timedelta
from typing import Any

from stoic_assets.core.virtues import ASPECTS, VIRTUES

Row = dict[str, Any]
JOBS = ("plan-a-move", "reminders", "hard-proof", "letter-of-regret", "job-offer")
ASKED = "Could you remind me on Friday at nine to call the landlord about the deposit? I keep putting it off."
ANSWERED = (
    "Of course. I have set a reminder for Friday, 27 November, at 09:00: call the landlord about the deposit.\n\n"
    "What is up to you is the call, not the answer you will get. Would you like me to note what you want to say?"
)
SAID, UNSAID = "What is up to you is the call, not the answer", "I have never missed a reminder in my life"
START = datetime(2026, 11, 21, 14, 2, tzinfo=UTC)
CYPHER = "MATCH (r:Reminder {user: $user}) WHERE r.text CONTAINS 'landlord' RETURN count(r)"


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
        held = [row["trial_id"] for row in self.rows["trials"]] or [None]
        models = (("evaluator", "gpt-4.1-mini"), ("judge", "gpt-4.1"), ("judge", "claude-opus"))
        self.rows["llm_calls"] = [
            {"call_id": str(n), "trial_id": held[n % len(held)], "role": role, "model": model,
             "cached": n % 3 == 0 and role == "judge",
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
            "missing": None, "unpaid": False,
        })
        self.rows["tone_scores"].append({
            "trial_id": trial_id, "score": 0.9, "reason": "Calm throughout.", "judge_model": "gpt-4.1", "error": None,
            "missing": None, "unpaid": False,
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
                "prompt_hash": "c0ff", "error": None, "unpaid": False,
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
