"""The public document of an evaluation, from rows."""

import json

import pytest

from stoic_assets.core.scoring.evaluation_document import DOCUMENT_TABLES, evaluation_document, reason
from stoic_assets.core.virtues import VIRTUES

NOTHING = {"score": None, "confidence": None, "confidence_source": None, "exercised": None}


def composite(trial_id, **columns):
    plain = {
        "trial_id": trial_id, "job": "reminders", "scenario": None, "condition": "withheld", "repeat": 1,
        "outcome": "signed_off", "valid": True, "timing": 1.0, "task": 0.5, "assertion": None, "failure_penalty": 0.3,
        "overall": 0.4, "tone": 0.9, "virtue_overall": 0.8, "virtue_confidence": 0.7, "virtue_overall_weighted": None,
        "failure_count": 1, "average_response_ms": 250.0, "passed": False,
    }  # fmt: skip
    return plain | columns


@pytest.fixture
def tables():
    """One evaluation of one trial; the tests change what they are about."""
    rows = {name: [] for name in DOCUMENT_TABLES}
    head = {"evaluation_id": "e1", "agent_version": "marcus@1.0.0", "offline": True}
    rows["evaluations"] = [head | {"status": "finished", "cost_usd": None}]
    rows["evaluation_scores"] = [{"average_overall": 0.4, "fitness": 0.8125, "invalid_trials": 0}]
    rows["composite_scores"] = [composite("t1")]
    rows["trials"] = [{"trial_id": "t1", "turns": 6, "holdout": False}]
    return rows


def test_the_document_has_the_public_shape(tables):
    tables["trial_virtues"] = [
        {"trial_id": "t1", "virtue": "wisdom", "score": 0.8, "confidence": 0.7, "confidence_source": "self",
         "exercised": True, "verdicts": 1, "failed": 0, "grounded": 1.0},
    ]  # fmt: skip
    tables["task_scores"] = [
        {"trial_id": "t1", "task": "1", "task_text": "Remind me.", "score": 0.5, "reason": None,
         "error": None, "missing": None, "unpaid": False},
    ]  # fmt: skip
    tables["assertion_results"] = [
        {"trial_id": "t1", "assertion": "1", "kind": "cypher", "text": "RETURN 1", "weight": 2.0, "passed": True,
         "expected": "1", "actual": "[1, null]", "error": None},
    ]  # fmt: skip
    tables["weak_virtues"] = [
        {"virtue": "courage", "score": 0.6, "confidence": 0.8, "severity": 0.32, "suggestions": [], "trials": 1},
        {"virtue": "justice", "score": 0.1, "confidence": 0.9, "severity": 0.81, "suggestions": ["ask"], "trials": 1},
    ]  # fmt: skip
    document = evaluation_document(tables)
    assert document == {
        "evaluation_id": "e1",
        "agent_version": "marcus@1.0.0",
        "average_score": 0.4,
        "offline": True,
        "trials": [
            {
                "trial_id": "t1", "job": "reminders", "scenario": None, "condition": "withheld", "repeat": 1,
                "outcome": "signed_off",
                "holdout": False, "reason": None,
                "passed": False,
                "scores": {
                    "timing": 1.0, "task": 0.5, "assertion": None, "failure_penalty": 0.3, "tone": 0.9, "overall": 0.4,
                },
                "tasks": [{"task": "Remind me.", "score": 0.5, "reason": ""}],
                "virtues": dict.fromkeys(VIRTUES, NOTHING)
                | {"wisdom": {"score": 0.8, "confidence": 0.7, "confidence_source": "self", "exercised": True}},
                "virtue_overall": {"score": 0.8, "confidence": 0.7},
                "virtue_overall_weighted": None,
                "assertions": [
                    {"name": "1", "kind": "cypher", "text": "RETURN 1", "weight": 2.0, "passed": True, "expected": 1,
                     "actual": [1, None], "error": None},
                ],
                "failure_count": 1, "average_response_ms": 250.0, "turns": 6,
            }
        ],
        "weak_virtues": [
            {"virtue": "justice", "score": 0.1, "confidence": 0.9, "trials": 1, "suggestions": ["ask"]},
            {"virtue": "courage", "score": 0.6, "confidence": 0.8, "trials": 1, "suggestions": []},
        ],
        "fitness": 0.8125,
        "invalid_trials": 0,
        "silent_judges": [],
        "status": "finished",
        "cost_usd": None,
    }  # fmt: skip
    assert json.loads(json.dumps(document)) == document


def test_nothing_scored_is_null_and_not_zero(tables):
    tables["composite_scores"] = [composite("t1", valid=False, outcome="judge_error", overall=None)]
    tables["evaluation_scores"] = [{"average_overall": None, "fitness": None, "invalid_trials": 1}]
    document = evaluation_document(tables)
    assert (document["average_score"], document["fitness"], document["invalid_trials"]) == (None, None, 1)


@pytest.mark.parametrize(("average", "quoted"), [(0.125, 0.12), (None, None)])
def test_the_average_is_the_evaluations_own_rounded_once(tables, average, quoted):
    """None although a trial has a total: an agent broke down of which nothing was asked."""
    tables["composite_scores"] = [composite("t1", outcome="agent_error", overall=0.0)]
    tables["evaluation_scores"][0]["average_overall"] = average
    assert evaluation_document(tables)["average_score"] == quoted


def test_a_trial_that_does_not_count_shows_no_marks(tables):
    tables["composite_scores"] = [composite("t1", valid=False)]
    mark = {"trial_id": "t1", "task_text": "Remind me.", "score": 0.5, "reason": "done", "error": None,
            "missing": None, "unpaid": False}
    tables["task_scores"] = [mark]
    verdict = {"score": 0.8, "confidence": 0.7, "confidence_source": "self", "exercised": True}
    tables["trial_virtues"] = [{"trial_id": "t1", "virtue": "wisdom"} | verdict]
    [trial] = evaluation_document(tables)["trials"]
    assert trial["tasks"] == [{"task": "Remind me.", "score": None, "reason": "done"}]
    assert trial["virtues"]["wisdom"] == NOTHING | {"exercised": True}


@pytest.mark.parametrize(
    ("outcome", "detail", "why"),
    [
        ("agent_error", "answered 404", "answered 404"), ("judge_error", None, "m: no verdict (402)"),
        ("judge_error", "1 attempt to send a message failed", "m: no verdict (402)"),
        ("signed_off", None, None), ("max_turns", "1 attempt failed", "1 attempt failed"),
    ],
)
def test_a_trial_that_did_not_end_plainly_says_why(tables, outcome, detail, why):
    tables["composite_scores"] = [composite("t1", outcome=outcome)]
    tables["trials"] = [{"trial_id": "t1", "turns": 6, "holdout": True, "detail": detail}]
    mark = {"trial_id": "t1", "task_text": "Remind me.", "score": None, "reason": "", "judge_model": "m"}
    tables["task_scores"] = [mark | {"error": "m: no verdict (402)", "missing": '{"m": "402"}', "unpaid": False}]
    [trial] = evaluation_document(tables)["trials"]
    assert trial["reason"] == why


@pytest.mark.parametrize(("score", "cause"), [(0.9, "m: 503"), (None, "m: 402")])
def test_a_task_without_a_score_is_no_cause_where_another_has_one(score, cause):
    tasks = [{"score": None, "error": "m: 402"}, {"score": score, "error": None}]
    assert reason("judge_error", {"detail": None}, tasks, [{"score": None, "error": "m: 503"}]) == cause


def test_trials_stand_in_order_however_they_were_run(tables):
    order = [
        composite("a", job="a", condition="supplied"),
        composite("b", condition="withheld", repeat=1),
        composite("c", condition="withheld", repeat=2),
        composite("d", condition="supplied", repeat=1),
        composite("f", job="z", scenario="s1"),
        composite("e", job="z", scenario="s2"),
    ]
    tables["composite_scores"] = order[::-1]
    tables["trials"] = [{"trial_id": row["trial_id"], "turns": 2, "holdout": False} for row in order]
    assert [trial["trial_id"] for trial in evaluation_document(tables)["trials"]] == list("abcdfe")


def test_an_agent_that_never_replied_has_no_time(tables):
    tables["composite_scores"] = [composite("t1", average_response_ms=None)]
    assert evaluation_document(tables)["trials"][0]["average_response_ms"] == 0.0
