"""What a fitness update tells in a message and a row, and when it counts as a new one."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from short_evaluations import Finding, Judged, made

from stoic_assets.core.evolution.checks import Checks, FailedAssertion
from stoic_assets.core.evolution.fitness import fitness_update
from stoic_assets.core.evolution.fitness_comparison import Scale
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation
from stoic_assets.core.virtues import VIRTUES


def test_a_withdrawn_update_tells_of_the_trials_and_nothing_that_was_found_in_them(
    head: EvaluationHead, judged: Judged, finding: Finding
) -> None:
    scores = (0.4, 0.45, 0.5)
    trials = [judged(f"t{each}", f"job {each}", each, virtues={"wisdom": finding(each, 0.9, "ask")}) for each in scores]
    told = fitness_update(head, trials, comparison=[
        {"gating": True, "base": "marcus@1.0.0", "base_evaluation_id": "n6", "measure": "assertion", "verdict": "same",
         "effect": 0.0, "difference": 0.0},
    ])  # fmt: skip
    broken = FailedAssertion(task_id="job 0.4", assertion="order", text="it was placed", trial_ids=["t0.4"])
    told = replace(told, checks=Checks(2, [broken]))
    assert all((told.fitness, told.fitness_low, told.fitness_high, told.comparison))
    document = told.void("too many are invalid").payload()
    empty = {name: value for name, value in document.items() if not value and name != "offline"}
    assert set(empty) == {
        "fitness_score", "fitness_low", "fitness_high", "balanced_fitness", "objectives", "floor_violations",
        "weak_virtues", "severity", "uncertain_virtues", "improvement_areas", "improvements", "parents", "comparison",
        "conclusive", "failed_trials", "human_evaluations", "judge_models", "conditions", "scale", "passed_trials",
        "fitness_of_trials", "failed_assertions",
    }  # fmt: skip
    assert (document["fitness_why"], document["scored_trials"]) == ("too many are invalid", 3)
    of = {"agent_id": "marcus", "agent_version": "marcus@1.1.0", "evaluation_id": "night-7"}
    assert document.items() >= (of | {"timestamp": "2026-03-01T02:00:00+00:00", "offline": False}).items()
    assert told.row().items() >= (of | {"idempotency_key": told.idempotency_key}).items()


def test_lineage_and_verdict_are_carried_and_count_as_content(head: EvaluationHead, judged: Judged) -> None:
    row = {
        "base": "marcus@1.0.0", "base_evaluation_id": "night-6", "measure": "wisdom", "verdict": "regressed",
        "difference": -0.2, "gating": True,
    }  # fmt: skip
    trials = [judged("t1", "a", 0.5)]
    plain = fitness_update(head, trials)
    told = fitness_update(head, trials, parents=["marcus@1.0.0"], comparison=[row])
    assert (plain.payload()["parents"], plain.payload()["comparison"]) == ([], None)
    assert told.row()["parents"] == told.payload()["parents"] == ["marcus@1.0.0"]
    assert told.payload()["comparison"]["regressed"] == ["wisdom"]
    assert len({plain.idempotency_key, told.idempotency_key}) == 2


@given(st.permutations([("t1", "a", 0.1), ("t2", "b", 0.3), ("t3", "c", 0.7)]))
def test_a_repeat_is_the_same_update_whatever_the_order_of_rows(trials: list[tuple[str, str, float]]) -> None:
    evaluations = [made(*trial) for trial in trials]
    usual = [made("t1", "a", 0.1), made("t2", "b", 0.3), made("t3", "c", 0.7 + 1e-15)]
    assert (
        fitness_update(usual[0].head, evaluations).idempotency_key
        == fitness_update(usual[0].head, usual).idempotency_key
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda each, found: replace(each, overall_score=0.2001),
        lambda each, found: replace(each, virtue_scores={"wisdom": found(0.2, 0.8)}),
        lambda each, found: replace(each, virtue_scores={"wisdom": found(0.2, 0.9, "new advice")}),
        lambda each, found: replace(each, virtue_scores={}),
        lambda each, found: replace(each, id="t9"),
    ],
)
def test_another_judgement_is_another_update(
    head: EvaluationHead, judged: Judged, finding: Finding, change: Callable[..., StoicEvaluation]
) -> None:
    former = judged("t1", "a", 0.2)
    again = fitness_update(head, [change(former, finding)])
    assert again.idempotency_key != fitness_update(head, [former]).idempotency_key


def test_a_revision_is_new_only_once(head: EvaluationHead, judged: Judged) -> None:
    former, present = (fitness_update(head, [judged("t1", "a", score)]) for score in (0.2, 0.3))
    corrected = present.after(former.payload())
    assert (former.revision, corrected.revision) == (1, 2)
    assert present.after(corrected.payload()) == corrected
    assert former.after(corrected.payload()).revision == 3


def test_another_version_or_evaluation_is_another_update(head: EvaluationHead, judged: Judged) -> None:
    heads = [head, replace(head, evaluation_id="night-8"), replace(head, agent_version="marcus@1.2.0")]
    assert len({fitness_update(each, [judged("t1", "a", 0.2)]).idempotency_key for each in heads}) == 3


def test_row_and_payload_tell_the_same(head: EvaluationHead, judged: Judged, finding: Finding) -> None:
    trial = judged("t1", "a", 0.5, virtues={"wisdom": finding(0.5, 0.9, "ask")})
    scale = Scale(("judge",), ("supplied", "withheld"), "f00d")
    update = replace(fitness_update(replace(head, offline=True), [trial], scale=scale), checks=Checks(1))
    assert update.payload()["scale"] == "f00d"
    row, payload = update.row("2026-03-01T05:00:00+00:00"), update.payload()
    assert json.loads(json.dumps(payload)) == payload
    assert (row["agent_id"], row["agent_version"], row["evaluation_id"]) == ("marcus", "marcus@1.1.0", "night-7")
    assert (row["delivered_at"], row["trial_ids"]) == ("2026-03-01T05:00:00+00:00", ["t1"])
    assert (payload["offline"], payload["timestamp"]) == (True, "2026-03-01T02:00:00+00:00")
    assert payload["improvement_areas"] == {"wisdom": ["ask"]}
    assert payload["fitness_score"] == row["fitness"] == 0.5
    unpacked = {name: json.loads(row[name]) for name in ("floors", "improvement_areas", "severity")}
    assert unpacked.items() <= payload.items()
    assert payload["objectives"]["wisdom"].items() <= json.loads(row["objectives"])["wisdom"].items()
    names = (
        "floor_violations", "uncertain_virtues", "parents", "weak_virtues", "scored_trials", "failed_trials",
        "conclusive", "human_evaluations", "judge_models", "conditions", "scale", "passed_trials", "fitness_of_trials",
    )  # fmt: skip
    assert (row["passed_trials"], row["fitness_of_trials"]) == (1, 0.5)
    assert all(row[name] == payload[name] for name in names)
    assert (row["weak_virtues"], row["uncertain_virtues"]) == (["wisdom"], list(VIRTUES))
