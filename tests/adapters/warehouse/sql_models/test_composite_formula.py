"""The composite of random trials: the contract's formula in plain Python."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.core.virtues import VIRTUES

SCORED = ("signed_off", "max_turns", "agent_error")
OURS = ("evaluator_error", "judge_error", "infra_error")
weights = st.sampled_from([0.0, 0.5, 1.0, 2.0])
shares = st.one_of(st.integers(0, 20).map(lambda n: n / 20), st.floats(0, 1, allow_subnormal=False))
verdicts = st.one_of(
    st.builds(lambda s, c: {"score": s, "confidence": c, "exercised": True}, shares, shares),
    st.just({"exercised": False}),
    st.just({"error": "rubbish"}),
)
trials = st.fixed_dictionaries(
    {
        "head": st.fixed_dictionaries(
            {
                "outcome": st.sampled_from(SCORED * 3 + OURS),
                "aspirational_ms": st.sampled_from([None, 0.0, 500.0, 1000.0]),
                "average_response_ms": st.sampled_from([None, 0.0, 250.0, 999.5, 3000.0]),
                "failure_count": st.integers(0, 3),
                "planned_tasks": st.integers(0, 2),
                "virtue_weights": st.none() | st.dictionaries(st.sampled_from(VIRTUES), weights),
            }
        ),
        "tasks": st.lists(st.none() | shares, max_size=3),
        "assertions": st.lists(st.tuples(st.sampled_from([True, False, None]), weights), max_size=4),
        "virtues": st.dictionaries(st.sampled_from(VIRTUES), st.lists(verdicts, min_size=1, max_size=3)),
    }
)  # fmt: skip


@settings(examples(1 / 5), suppress_health_check=list(HealthCheck))
@given(drawn=st.lists(trials, min_size=25, max_size=40))
def test_the_sql_is_the_contracts_formula(tmp_path_factory, evaluation, drawn):
    made = evaluation(Warehouse(Path(tmp_path_factory.mktemp("warehouse"))))
    for number, trial in enumerate(drawn):
        key = f"t{number}"
        made.trial(key, **trial["head"])
        for score in trial["tasks"]:
            made.task(score, key)
        for passed, weight in trial["assertions"]:
            made.assertion(passed, weight, key)
        for virtue, panel in trial["virtues"].items():
            for sample, verdict in enumerate(panel):
                made.verdict(virtue, key, sample=sample, **verdict)
    rows = {row["trial_id"]: row for row in made.scored("composite_scores").read("composite_scores")}
    assert len(rows) == len(drawn)
    for number, trial in enumerate(drawn):
        expected = by_the_contract(trial)
        assert {name: rows[f"t{number}"][name] for name in expected} == expected


def by_the_contract(trial: dict[str, Any]) -> dict[str, Any]:
    """The scores of one trial as the public formulae say, in plain Python."""
    head, scores = trial["head"], scored_virtues(trial["virtues"])
    tasks = [score for score in trial["tasks"] if score is not None]
    told = [(passed, weight) for passed, weight in trial["assertions"] if passed is not None]
    parts = (
        (1, timing(head["aspirational_ms"], head["average_response_ms"])),
        (2, sum(tasks) / len(tasks) if tasks else None),
        (4, ratio(sum(weight for passed, weight in told if passed), sum(weight for _, weight in told))),
    )
    outcome = final_outcome(head, tasks, trial["virtues"], scores)
    valid = outcome in SCORED
    weights = head["virtue_weights"]
    unweighted = dict.fromkeys(VIRTUES, 1.0)
    results = {
        **{name: part for name, (_, part) in zip(("timing", "task", "assertion"), parts, strict=True)},
        "overall": 0.0 if outcome == "agent_error" else total(parts, min(0.3 * head["failure_count"], 0.5)),
        "virtue_overall": weighed(scores, unweighted),
        "virtue_overall_weighted": None if weights is None else weighed(scores, unweighted | weights),
        "virtue_confidence": ratio(sum(c for _, _, c in scores), len(scores)),
    }
    asked = head["planned_tasks"] > 0 or any(weight for _, weight in trial["assertions"])
    passed = None
    if outcome == "agent_error":
        passed = False if asked else None
    elif parts[1][1] is not None or parts[2][1] is not None:
        passed = all(ok for ok, weight in told if weight) and (not tasks or sum(tasks) / len(tasks) >= 0.7 - 1e-9)
    held = {name: pytest.approx(value, abs=1e-9) for name, value in results.items() if valid and value is not None}
    counted = {"outcome": outcome, "valid": valid, "virtues_scored": len(scores), "passed": passed if valid else None}
    return dict.fromkeys(results) | held | counted


def scored_virtues(virtues: dict[str, Sequence[dict[str, Any]]]) -> list[tuple[str, float, float]]:
    scored = []
    for virtue, panel in virtues.items():
        words = [(verdict["score"], verdict["confidence"]) for verdict in panel if "score" in verdict]
        if words:
            scored.append((virtue, sum(s for s, _ in words) / len(words), sum(c for _, c in words) / len(words)))
    return scored


def final_outcome(head: dict[str, Any], tasks: list[float], virtues: dict[str, Any], scores: list[Any]) -> str:
    if head["outcome"] in ("signed_off", "max_turns"):
        failed = any("error" in verdict for panel in virtues.values() for verdict in panel)
        if (head["planned_tasks"] and not tasks) or (failed and not scores):
            return "judge_error"
    return str(head["outcome"])


def timing(aspirational: float | None, average: float | None) -> float | None:
    if aspirational is None or average is None:
        return None
    return 1.0 if average == 0 else min(1.0, aspirational / average)


def total(parts: Sequence[tuple[int, float | None]], penalty: float) -> float | None:
    held = [(weight, part) for weight, part in parts if part is not None]
    return max(0.0, sum(w * p for w, p in held) / sum(w for w, _ in held) - penalty) if held else None


def weighed(scores: list[tuple[str, float, float]], weights: dict[str, float]) -> float | None:
    if not any(weights[virtue] for virtue, _, _ in scores):
        return None
    for each in (weights, dict.fromkeys(VIRTUES, 1.0)):
        middle = ratio(sum(s * c * each[v] for v, s, c in scores), sum(c * each[v] for v, _, c in scores))
        if middle is not None:
            return middle
    return 0.5


def ratio(numerator: float, denominator: float) -> float | None:
    return numerator / denominator if denominator else None
