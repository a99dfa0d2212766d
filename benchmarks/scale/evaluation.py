"""The rows of one large evaluation: 200 trials of 18 turns, five verdicts, two tasks and two assertions each."""

import json
import random
from collections.abc import Iterator
from typing import Any

from benchmarks.scale.places import BEGAN
from stoic_assets.core.virtues import VIRTUES

TRIALS = 200
TURNS = 18
Row = dict[str, Any]


def facts(evaluation_id: str, chance: random.Random) -> dict[str, list[Row]]:
    """The rows of every table that Python writes."""
    words = ["".join(chance.choices("aeioulnrstdmkp", k=chance.randint(2, 9))) for _ in range(4000)]
    head = {
        "agent": "marcus", "started_at": BEGAN, "status": "finished", "offline": False, "planned_trials": TRIALS,
        "scored_trials": TRIALS, "invalid_trials": 0, "released_at": BEGAN, "evaluator_model": "gpt-4.1-mini",
    }  # fmt: skip
    rows: dict[str, list[Row]] = {"evaluations": [head], "version_comparisons": [], "fitness_updates": [], "events": []}
    for number in range(TRIALS):
        job, condition, repeat = f"job{number // 10}", ("withheld", "supplied")[number % 2], number % 10 // 2 + 1
        trial = f"{evaluation_id}.{job}.{condition}.{repeat}"
        for table, row in _trial(trial, job, condition, repeat, words, chance):
            rows.setdefault(table, []).append(row)
    return rows


def _trial(
    trial: str, job: str, condition: str, repeat: int, words: list[str], chance: random.Random
) -> Iterator[tuple[str, Row]]:
    def text(least: int, most: int) -> str:
        return " ".join(chance.choices(words, k=chance.randint(least, most)))

    head = {
        "job": job, "holdout": False, "condition": condition, "repeat": repeat, "outcome": "signed_off",
        "job_hash": job, "failure_count": 0, "planned_tasks": 2, "turns": TURNS, "aspirational_ms": 900.0,
        "average_response_ms": chance.uniform(600, 1500), "started_at": BEGAN, "ended_at": BEGAN,
    }  # fmt: skip
    key = {"trial_id": trial}
    yield "trials", key | head
    for turn in range(TURNS):
        speaker = ("user", "agent")[turn % 2]
        said = {"turn": turn, "speaker": speaker, "content": text(8, 40), "events": "[]"}
        if speaker == "agent":
            call = {"request": {"function": {"name": "remember"}, "arguments": {"text": text(2, 6)}}}
            events = json.dumps([call, {"output": text(2, 6)}])
            said |= {"response_ms": chance.uniform(200, 2000), "attempts": 1, "events": events}
        yield "turns", key | said
        yield "llm_calls", _call(f"{trial}.{turn}", "evaluator" if speaker == "user" else "judge", chance)
    for virtue in VIRTUES:
        yield "virtue_scores", key | _verdict(virtue, text, chance)
    for number in ("1", "2"):
        task = {"task": number, "type": "task", "task_text": text(5, 15), "reason": text(10, 40)}
        yield "task_scores", key | task | {"score": chance.random()}
        assertion = {"assertion": number, "kind": "cypher", "text": "MATCH (r:Reminder) RETURN count(r)"}
        passed = {"weight": 1.0, "passed": chance.random() < 0.8, "expected": "1", "actual": "1"}
        yield "assertion_results", key | assertion | passed
        seen = {"parameters": "{}", "result": json.dumps([[text(5, 30)]])}
        yield "observations", key | assertion | seen
    yield "tone_scores", key | {"score": chance.random(), "reason": text(10, 30), "judge_model": "gpt-4.1-mini"}


def _verdict(virtue: str, text: Any, chance: random.Random) -> Row:
    aspects = [
        {"aspect": f"aspect {number}", "assessment": text(8, 20), "example": text(5, 12), "score": chance.random()}
        for number in range(4)
    ]
    return {
        "virtue": virtue, "judge_model": "gpt-4.1-mini", "sample": 0, "score": chance.random(), "exercised": True,
        "confidence": chance.uniform(0.6, 1), "confidence_source": "self", "self_confidence": 0.8, "grounded": 1.0,
        "reasoning": text(30, 80), "aspects": aspects, "supporting_examples": [text(5, 12), text(5, 12)],
        "improvement_suggestions": [text(5, 15)], "prompt_hash": "prompt",
    }  # fmt: skip


def _call(call_id: str, role: str, chance: random.Random) -> Row:
    return {
        "call_id": call_id, "role": role, "model": "gpt-4.1-mini", "cached": False, "cost_usd": 0.001, "time": BEGAN,
        "prompt_tokens": chance.randint(200, 3000), "completion_tokens": chance.randint(10, 300),
        "latency_ms": chance.uniform(90, 900),
    }  # fmt: skip
