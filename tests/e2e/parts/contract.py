"""What the contract promises about `stoic eval --json`, written down once more and apart from the product."""

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import jsonschema

VIRTUES = ("wisdom", "courage", "justice", "temperance", "practical_wisdom")
OUTCOMES = ("signed_off", "max_turns", "agent_error", "evaluator_error", "judge_error", "infra_error")
TABLES = (
    "evaluations", "trials", "turns", "observations", "virtue_scores", "task_scores", "assertion_results",
    "composite_scores", "weak_virtues", "fitness_updates", "events", "virtue_trends", "llm_calls",
)
"""Those of the contract that this part of the product fills."""


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


TEXT: dict[str, Any] = {"type": "string"}
SHARE = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
TEXT_OR_NULL = {"type": ["string", "null"]}
FLAG = {"type": "boolean"}
FLAG_OR_NULL = {"type": ["boolean", "null"]}
VIRTUE = _object(score=SHARE, confidence=SHARE, confidence_source=TEXT_OR_NULL, exercised=FLAG_OR_NULL)
ASSERTION = _object(
    name=TEXT, kind={"enum": ["cypher", "expression"]}, text=TEXT, weight={"type": "number"}, passed=FLAG_OR_NULL,
    expected={}, actual={}, error=TEXT_OR_NULL,
)
COUNTS = {"type": "object", "additionalProperties": {"type": "integer"}}
TRIAL = _object(
    trial_id=TEXT, job=TEXT, scenario=TEXT_OR_NULL, condition={"enum": ["withheld", "supplied"]},
    repeat={"type": "integer"}, outcome={"enum": list(OUTCOMES)}, holdout=FLAG, reason=TEXT_OR_NULL,
    passed=FLAG_OR_NULL, scores=_object(
        timing=SHARE, task=SHARE, assertion=SHARE, failure_penalty={"type": "number"}, tone=SHARE, overall=SHARE
    ),
    tasks=_list(_object(task=TEXT, score=SHARE, reason=TEXT)), virtues=_object(**dict.fromkeys(VIRTUES, VIRTUE)),
    virtue_overall=_object(score=SHARE, confidence=SHARE), virtue_overall_weighted=SHARE, assertions=_list(ASSERTION),
    failure_count={"type": "integer"}, average_response_ms={"type": "number", "minimum": 0}, turns={"type": "integer"},
)
DOCUMENT = _object(
    evaluation_id=TEXT, agent_version=TEXT, average_score=SHARE, offline={"type": "boolean"}, trials=_list(TRIAL),
    weak_virtues=_list(_object(
        virtue={"enum": list(VIRTUES)}, score=SHARE, confidence=SHARE, trials={"type": "integer"},
        suggestions=_list(TEXT),
    )),
    fitness=SHARE, invalid_trials={"type": "integer"},
    silent_judges=_list(_object(judge=TEXT, asked=COUNTS, missing=COUNTS, error=TEXT_OR_NULL)),
    status=TEXT, cost_usd={"type": ["number", "null"], "minimum": 0}, report=TEXT, secrets_told={"type": "integer"},
)


def check_document(document: Any) -> None:
    """The shape of the contract with the keys that were added since, and no other."""
    jsonschema.validate(document, DOCUMENT)


def overall(trial: dict[str, Any], aspirational_ms: float) -> float:
    """The total of a scored trial, from its parts."""
    weights = {number: assertion["weight"] for number, assertion in enumerate(trial["assertions"])}
    passed = sum(weights[n] for n, assertion in enumerate(trial["assertions"]) if assertion["passed"])
    tasks = [task["score"] for task in trial["tasks"] if task["score"] is not None]
    parts = [(min(1.0, aspirational_ms / trial["average_response_ms"]), 1)]
    parts += [(sum(tasks) / len(tasks), 2)] if tasks else []
    parts += [(passed / sum(weights.values()), 4)] if weights else []
    penalty = min(0.3 * trial["failure_count"], 0.5)
    return max(0.0, sum(value * weight for value, weight in parts) / sum(weight for _, weight in parts) - penalty)


def quoted(value: float) -> float:
    """Two decimals, half-even on the exact binary value."""
    return float(Decimal(value).quantize(Decimal("0.01"), ROUND_HALF_EVEN))
