"""The project that is evaluated, and the calls that it needs."""

import json
from pathlib import Path

import yaml

from benchmarks.kills.doubles import CALLS_OF_A_TRIAL

JUDGES = ("judge-a", "judge-b")
JUDGES_AT_ONCE = 16
JUDGES_UNDER_WAY = 2 * JUDGES_AT_ONCE
"""A reply that is being written to disk has freed its slot for the next call: a kill may lose as many again."""
QUESTIONS = 6
"""Calls to each judge about a trial: five virtues, and tasks with tone."""
REPEATS, CONDITIONS = 2, 2
FACT, OTHER_FACT = "The talk is about bees", "The talk is about wasps"


def write_project(folder: Path, trials: int) -> None:
    """Jobs for so many trials, a multiple of four, that all converse at the same time."""
    for number in range(trials // (REPEATS * CONDITIONS)):
        write_job(folder, number, FACT)
    limits = {"agent": trials, "evaluator": trials, "judge": JUDGES_AT_ONCE}
    settings = {"limits": {endpoint: {"in_flight": most} for endpoint, most in limits.items()}}
    (folder / "stoic.yml").write_text(yaml.safe_dump(settings))


def write_job(folder: Path, number: int, fact: str) -> None:
    """One of the jobs."""
    job = {
        "target": {"user": "user-{trial}", "chatbot": "cut"}, "aspirationalAverage": 60000, "maxTurns": 20,
        "repeats": REPEATS, "greetings": ["Hello"], "facts": [fact],
        "tasks": [
            {"task": f"Ask how to begin with talk {number}", "acceptanceCriteria": "It names a first step"},
            {"task": "Have that noted", "acceptanceCriteria": "It confirms that a note was taken"},
        ],
        "setups": [{"cypher": "CREATE (:Seed {of: $trial})"}],
        "assertions": [
            {"cypher": "MATCH (s:Seed {of: $trial}) RETURN count(s) > 0", "expected": True},
            {"expression": 'objectContext.entities.any { it.type == "Note" }'},
        ],
    }  # fmt: skip
    (folder / "eval_jobs").mkdir(parents=True, exist_ok=True)
    (folder / "eval_jobs" / f"talk-{number}.yml").write_text(json.dumps(job))


def calls_needed(trials: int) -> dict[str, int]:
    """How many calls of each kind so many trials need."""
    turns = {kind: calls * trials for kind, calls in CALLS_OF_A_TRIAL.items()}
    return {**turns, "judge": trials * QUESTIONS * len(JUDGES)}
