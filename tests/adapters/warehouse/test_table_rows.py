"""Rows are checked against their columns before anything is written."""

import json
from datetime import UTC, datetime

import pytest

from stoic_assets.adapters.warehouse.table_rows import rows_as_json
from stoic_assets.adapters.warehouse.table_schemas import columns_of
from stoic_assets.core.errors import StoicError
from stoic_assets.core.virtues import VIRTUES

TASK = {"trial_id": "t1", "task": "1", "type": "task", "task_text": "Remind me."}
EVENT = {"id": "1", "type": "t", "time": "2026-01-01T02:00:00+02:00", "data": "{}"}
VERDICT = {"trial_id": "t1", "virtue": "wisdom", "judge_model": "m", "sample": 0}
CALL = {
    "call_id": "c1", "role": "judge", "model": "m", "cached": False, "prompt_tokens": 1, "completion_tokens": 1,
    "latency_ms": 2.0,
}  # fmt: skip


def fitted(table, *rows):
    return [json.loads(line) for line in rows_as_json(table, "marcus@1", "e1", rows)]


def test_nullable_columns_may_be_left_out():
    [row] = fitted("task_scores", TASK)
    assert (row["score"], row["error"], row["evaluation_id"]) == (None, None, "e1")
    assert abs((datetime.now(UTC) - datetime.fromisoformat(row["evaluated_at"])).total_seconds()) < 60


def test_a_row_that_was_read_can_be_written_again():
    [row] = fitted("task_scores", TASK | {"score": 0.5})
    [again] = fitted("task_scores", row | {"agent_version": "marcus@1"})
    assert again == row


def test_times_may_be_iso_texts():
    [row] = fitted("events", EVENT)
    assert datetime.fromisoformat(row["time"]) == datetime(2026, 1, 1, tzinfo=UTC)


def test_every_row_has_all_columns_and_its_own_line():
    trial = {
        "trial_id": "t1", "job": "j\n\u2028", "holdout": False, "condition": "withheld", "repeat": 1,
        "outcome": "signed_off", "failure_count": 0, "planned_tasks": 1, "turns": 2, "virtue_weights": {"courage": 1},
    }  # fmt: skip
    [line] = rows_as_json("trials", "marcus@1", "e1", [trial])
    assert (line.count(b"\n"), line[-1:]) == (1, b"\n")
    row = json.loads(line)
    assert row.keys() == columns_of("trials").keys()
    assert row["virtue_weights"] == dict.fromkeys(VIRTUES) | {"courage": 1.0}


def test_half_a_surrogate_pair_does_not_break_the_file():
    [row] = fitted("task_scores", TASK | {"reason": "cut \ud83d off"})
    assert row["reason"] == "cut \ufffd off"


@pytest.mark.parametrize(
    ("table", "row", "complaint"),
    [
        ("task_scores", TASK | {"scroe": 1.0}, "scroe: Extra inputs"),
        ("task_scores", {"task": "1"}, "trial_id: Field required"),
        ("task_scores", TASK | {"task_text": None}, "task_text: Input should be a valid string"),
        ("task_scores", TASK | {"task": 1}, "task: Input should be a valid string"),
        ("task_scores", TASK | {"score": "1"}, "score: Input should be a valid number"),
        ("task_scores", TASK | {"score": True}, "score: Input should be a valid number"),
        ("task_scores", TASK | {"score": float("nan")}, "score: Input should be a finite number"),
        ("task_scores", TASK | {"evaluation_id": "e2"}, "has evaluation_id 'e2', but is written under 'e1'"),
        ("task_scores", TASK | {"agent_version": "marcus@2"}, "has agent_version 'marcus@2'"),
        ("llm_calls", CALL | {"prompt_tokens": 1.5}, "prompt_tokens: Input should be a valid integer"),
        ("llm_calls", CALL | {"prompt_tokens": 2**63}, "prompt_tokens: Input should be less than 9223372036854775808"),
        ("llm_calls", CALL | {"cached": 1}, "cached: Input should be a valid boolean"),
        ("turns", {"trial_id": "t1", "turn": 0, "speaker": "user", "content": "", "events": "[{"}, "events: "),
        ("events", EVENT | {"time": "2026-01-01T00:00:00"}, "time: Input should have timezone"),
        ("events", EVENT | {"time": "0001-01-01T00:00:00+01:00"}, "time: Input should be greater than or equal to"),
        ("evaluations", {"agent": "a", "parents": "1.0"}, "started_at: Field required"),
        ("virtue_scores", VERDICT | {"improvement_suggestions": "ask"}, "suggestions: Input should be a valid list"),
    ],
)  # fmt: skip
def test_a_row_that_does_not_fit_is_named(table, row, complaint):
    good = {"task_scores": [TASK], "llm_calls": [CALL]}.get(table, [])
    with pytest.raises(StoicError) as caught:
        fitted(table, *good, row)
    assert complaint in str(caught.value)
    assert f"row {len(good) + 1} of {table}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_aspects_and_weights_are_checked_inside():
    aspect = {"aspect": "a", "assessment": "b", "example": "c", "score": "d"}
    with pytest.raises(StoicError, match=r"aspects\.0\.score: Input should be a valid number"):
        fitted("virtue_scores", VERDICT | {"aspects": [aspect]})
    trial = {
        "trial_id": "t1", "job": "j", "holdout": False, "condition": "withheld", "repeat": 1, "outcome": "signed_off",
        "failure_count": 0, "planned_tasks": 1, "turns": 2,
    }  # fmt: skip
    with pytest.raises(StoicError, match=r"virtue_weights\.wit: Extra inputs"):
        fitted("trials", trial | {"virtue_weights": {"wit": 1.0}})
