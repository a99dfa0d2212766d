"""Good jobs, each changed in one place: editors mark what Stoic Eval refuses, and nothing else."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from stoic_assets.adapters.disk.job_files import load_job
from stoic_assets.core.errors import DocumentError
from stoic_assets.core.jobs.job import job_json_schema

Place = tuple[str | int, ...]
TARGET = {"user": "u-{trial}", "chatbot": "c"}
TASKS = [{"task": "t", "acceptanceCriteria": "a"}]
JOBS: dict[str, dict[str, Any]] = {
    "target": {"target": TARGET | {"url": "https://a/v1", "headers": {"X-Team": "t"}, "timeoutSeconds": 3}},
    "persona": {
        "evaluator": {"name": "N", "voice": "V", "temperature": 0.5, "signoff": "bye"}, "scorer": {"temperature": 0},
        "greetings": ["Hi"], "facts": ["f"],
    },
    "frame": {
        "name": "talk", "tags": ["a"], "holdout": False, "repeats": 1, "aspirationalAverage": 10, "maxTurns": 20,
        "trialTimeoutSeconds": 5, "settleSeconds": 1, "virtues": {"wisdom": 2}, "prompts": {},
    },
    "seeds": {
        "seeds": [
            {"text": "t"},
            {"conversation": [{"content": "c"}]},
            {"conversation": [{"role": "user", "content": "c"}, {"role": "assistant", "content": "c"}]},
        ],
    },
    "tasks": {"tasks": [{"type": "task", **TASKS[0], "difficulty": "easy", "context": "c"}, *TASKS]},
    "setups and assertions": {
        "setups": [{"cypher": "MATCH (n {user: $user}) DELETE n"}],
        "assertions": [
            {"name": "a", "cypher": "RETURN 1", "expected": 1, "weight": 2, "parameters": {"p": 1}},
            {"name": "b", "expression": "evaluation.done", "condition": "withheld"},
        ],
    },
    "scenarios": {
        "tasks": [],
        "scenarios": [
            {"id": "s", "category": "c", "input": "i", "expected": {"a": 1}, "padBaseline": {"pleasure": 0.1}}
        ],
    },
}  # fmt: skip
VALUES = (None, True, -1, 0, 20_000, "", " \u2003", "1 == 1", [], [None], {})
"""`1 == 1` is a text, an expression and Cypher, but no name and no address."""


def places(part: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every value in a job, with its place."""
    for key, value in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        yield (*place, key), value
        yield from places(value, (*place, key))


def changed(job: Any, place: Place, *value: Any) -> Any:
    """The job with another value at `place`, with none if none is given."""
    job = part = copy.deepcopy(job)
    for key in place[:-1]:
        part = part[key]
    if value:
        part[place[-1]] = value[0]
    else:
        del part[place[-1]]
    return job


def variants(job: Any) -> Iterator[tuple[Place, Any]]:
    """The job, changed in one place; with no number where text is expected, the one documented difference."""
    for place, value in places(job):
        yield place, changed(job, place)
        for other in VALUES:
            if not (isinstance(value, str) and isinstance(other, int | float)):
                yield place, changed(job, place, other)
        if isinstance(value, dict):
            yield place, changed(job, place, value | {"unknown": []})


def complaint(job: Any, path: Path) -> str:
    """What Stoic Eval refuses about a job; empty if it loads."""
    path.write_text(json.dumps(job), encoding="utf-8")
    try:
        load_job(path)
    except DocumentError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("keys", JOBS.values(), ids=JOBS)
def test_editors_mark_what_is_refused_and_nothing_else(tmp_path: Path, keys: Any) -> None:
    job, path = {"target": TARGET, "tasks": TASKS, **keys}, tmp_path / "job.yml"
    validator = Draft202012Validator(job_json_schema())
    assert (complaint(job, path), validator.is_valid(job)) == ("", True)
    differing = {
        (place, json.dumps(each)): said
        for place, each in variants(job)
        if validator.is_valid(each) == bool(said := complaint(each, path))
    }
    assert differing == {}
