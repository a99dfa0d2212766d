import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from stoic_assets.core.jobs.job import job_json_schema

ROOT = Path(__file__).parents[3]
COMMITTED = ROOT / "eval_jobs" / "job.schema.json"
FILES = [*sorted((ROOT / "eval_jobs").glob("*.yml")), *sorted((ROOT / "tests" / "jobs").glob("embabel*.yml"))]


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    Draft202012Validator.check_schema(job_json_schema())
    return Draft202012Validator(job_json_schema())


def test_the_committed_schema_is_current() -> None:
    advice = "run: stoic schema --out eval_jobs/job.schema.json"
    assert json.loads(COMMITTED.read_text(encoding="utf-8")) == job_json_schema(), advice


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_job_fits_the_schema(validator: Draft202012Validator, file: Path) -> None:
    assert [error.message for error in validator.iter_errors(yaml.safe_load(file.read_text(encoding="utf-8")))] == []


MINIMUM: dict[str, Any] = {
    "target": {"user": "u", "chatbot": "c"}, "tasks": [{"task": "t", "acceptanceCriteria": "a"}],
}


@pytest.mark.parametrize(
    "change",
    [
        {"task": []}, {"target": {"user": "u", "chatbot": "c", "model": "m"}}, {"target": {"user": "u"}},
        {"tasks": [{"task": "t", "acceptance_criteria": "a"}]}, {"seeds": [{"text": "t", "conversation": []}]},
        {"assertions": [{"weight": 2}]}, {"assertions": [{"expression": "x", "cypher": "y"}]},
        {"assertions": [{"cypher": "x", "expected": None}]}, {"maxTurns": "many"}, {"virtues": {"bravery": 1}},
        {"scenarios": [{"id": "s", "category": "c", "input": "i"}]}, {"target": {"user": "{u}", "chatbot": "c"}},
        {"seeds": [{"conversation": [{"role": "assistant", "content": "Salve"}]}]},
    ],
)
def test_what_the_loader_refuses_the_schema_refuses(validator: Draft202012Validator, change: dict[str, Any]) -> None:
    assert validator.is_valid(MINIMUM)
    assert not validator.is_valid({**MINIMUM, **change})
