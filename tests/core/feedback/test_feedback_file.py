"""The form of feedback files, and what is said of those that do not keep to it."""

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.errors import DocumentError
from stoic_assets.core.feedback.feedback_file import DialogueFile, MetricsFile, parse_feedback

File = Callable[..., str]
DIALOGUE = [{"role": "assistant", "content": "How was it?"}, {"role": "user", "content": "Too long."}]


def test_metrics_are_read(metrics_file: File) -> None:
    file = parse_feedback(metrics_file(improvement_suggestions=["Be brief"], acceptance_status="rejected"), "f.json")
    assert isinstance(file, MetricsFile)
    assert (file.agent_version, file.agent, file.task_id) == ("marcus@1.1.0", "marcus", "mentor")
    assert file.metrics.improvement_suggestions == ("Be brief",)
    assert file.metrics.acceptance_status == "rejected"
    assert file.metrics.dimension_feedback[0].score == 0.4


def test_a_dialogue_is_read() -> None:
    text = json.dumps({"agent_id": "marcus", "task_id": "mentor", "dialogue": DIALOGUE})
    file = parse_feedback(text, "f.json")
    assert isinstance(file, DialogueFile)
    assert file.agent == "marcus"
    assert [message.content for message in file.dialogue] == ["How was it?", "Too long."]


def test_tabs_and_escapes_are_json_like_any_other(metrics_file: File) -> None:
    tabbed = metrics_file(task_id="caf\u00e9 \U0001f600").replace("\n", "\n\t")
    assert parse_feedback(tabbed, "f.json").task_id == "café 😀"


@given(st.text(st.characters(exclude_categories=("Cs",)) | st.sampled_from("\x7f\x85\x9b\u2028\u2029\ufeff\uffff")))
def test_every_text_of_json_is_read_as_it_is_written(text: str) -> None:
    said = [{"role": "user", "content": text}]
    written = json.dumps({"agent_id": "marcus", "task_id": "mentor", "dialogue": said}, ensure_ascii=False)
    file = parse_feedback(written, "f.json")
    assert isinstance(file, DialogueFile)
    assert file.dialogue[0].content == text


def test_an_odd_character_moves_no_line(metrics_file: File) -> None:
    text = metrics_file(task_id="a b", overall_satisfaction=1.2).replace("a b", "a\u2028\x85b")
    with pytest.raises(DocumentError, match=r"f\.json:11: overall_satisfaction"):
        parse_feedback(text, "f.json")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"agent_version": None}, r"f.json:1: agent_version is required \(or agent_id"),
        ({"agent_version": "marcus"}, r"f.json:2: agent_version: 'marcus' is not an agent version"),
        ({"agent_id": "other"}, r"agent_id 'other' is not the agent of marcus@1.1.0; leave one out"),
        ({"agent_version": None, "agent_id": "marcus@1.1.0"}, r"agent_id: String should match"),
        ({"task_id": None}, r"f.json:1: task_id: is required"),
        ({"overall_satisfaction": 1.2}, r"f.json:11: overall_satisfaction: .*less than or equal to 1"),
        ({"overall_satisfaction": True}, r"overall_satisfaction: a number is expected"),
        ({"acceptance_status": "fine"}, r"acceptance_status: Input should be 'accepted'"),
        ({"timestamp": "yesterday"}, r"timestamp: 'yesterday' is not a time; write it as 2026-11-25T09:30:00Z"),
        ({"timestamp": "0001-01-01T00:00:00+14:00"}, r"timestamp: '0001-01-01T00:00:00\+14:00' is not a time"),
        (
            {"dimension_feedback": [], "overall_satisfaction": None},
            "f.json:1: overall_satisfaction and interpretation_confidence are required: there is no dimension",
        ),
        ({"dimension_feedback": [{"dimension": "accuracy", "score": 1}]}, r"dimension_feedback\[0\].confidence: is r"),
        ({"dimension_fedback": []}, r"dimension_fedback: unknown key; did you mean 'dimension_feedback'"),
        ({"dimension_feedback": [{"dimension": "a", "score": float("nan"), "confidence": 1}]}, r"score: .*number"),
    ],
)
def test_a_fault_is_named_with_file_line_and_key(metrics_file: File, change: dict, complaint: str) -> None:
    with pytest.raises(DocumentError, match=complaint):
        parse_feedback(metrics_file(**change), "f.json")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"task_id": "x",\n', r"f.json:2: not valid JSON"),
        ("[]", r"f.json:1: a mapping is expected, not list"),
        ("[" * 100_000, "nested too deeply"),
        ('{"task_id": "x",\n"agent_id": "\\ud83d"}', r"f\.json:2: not valid JSON: a text contains half of an escaped"),
        (f'{{"overall_satisfaction": {"9" * 5000}}}', r"f\.json: not valid JSON: a number has thousands of digits$"),
        ('{"agent_version": "m@1", "task_id": "t", "dialogue": []}', r"dialogue has no message of the person"),
        ('{"agent_version": "m@1", "task_id": "t", "dialogue": [{"role": "bot", "content": ""}]}', r"\[0\].role: In"),
    ],
)
def test_what_is_no_feedback_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(DocumentError, match=complaint):
        parse_feedback(text, "f.json")


def test_the_id_is_that_of_the_content(metrics_file: File) -> None:
    keys = json.loads(metrics_file())
    other_order = json.dumps(dict(reversed(list(keys.items()))))
    with_defaults = metrics_file(improvement_suggestions=[])
    ids = [parse_feedback(text, "f.json").feedback_id for text in (metrics_file(), other_order, with_defaults)]
    assert len(set(ids)) == 1
    assert parse_feedback(metrics_file(task_id="other"), "f.json").feedback_id != ids[0]


def test_the_id_is_made_of_what_was_written_so_that_keys_to_come_change_none() -> None:
    written = '{"agent_version":"m@1","task_id":"t","dialogue":[{"role":"user","content":"No."}]}'
    digest = hashlib.sha256(written.encode()).hexdigest()
    assert parse_feedback(written, "f.json").feedback_id == f"feedback-{digest[:32]}"


def test_a_time_without_a_zone_is_in_utc(metrics_file: File) -> None:
    times = ("2026-03-01T10:00", "2026-03-01T12:00+02:00")
    given = [parse_feedback(metrics_file(timestamp=time), "f").given_at for time in times]
    assert given == [datetime(2026, 3, 1, 10, tzinfo=UTC)] * 2
    assert parse_feedback(metrics_file(), "f").given_at is None
