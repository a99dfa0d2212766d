from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.judging.exhibit import blocks, judged


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ("signed_off", True), ("max_turns", True), ("agent_error", False), ("evaluator_error", False),
        ("judge_error", False), ("infra_error", False),
    ],
)
def test_only_conversations_that_ran_their_course_are_judged(
    make_evidence: Callable[..., Evidence], outcome: str, expected: bool
) -> None:
    assert judged(make_evidence("Salve.", outcome=outcome)) is expected


def test_a_conversation_without_a_reply_is_not_judged(make_evidence: Callable[..., Evidence]) -> None:
    assert judged(make_evidence()) is False


def test_actions_follow_the_reply_that_they_stand_behind(make_evidence: Callable[..., Evidence]) -> None:
    shown = blocks(make_evidence("Done.", "Vale."), with_actions=True)
    assert [block.heading for block in shown] == [
        "message 0, user", "message 1, agent", "actions of the agent before message 1 (function calls)",
        "message 2, user", "message 3, agent",
    ]
    assert shown[2].text == 'create_reminder {"title": "call\\nmother"}'


def test_words_alone_where_actions_do_not_count(make_evidence: Callable[..., Evidence]) -> None:
    assert "create_reminder" not in " ".join(block.text for block in blocks(make_evidence("Done."), with_actions=False))


@pytest.mark.parametrize(
    ("event", "line"),
    [
        ({"request": {"function": {"name": "f"}, "arguments": {"a": 1}, "context": "5"}}, 'f {"a": 1} (context: "5")'),
        ({"request": {"function": {"name": "f"}}, "arguments": [1], "context": None}, "f [1]"),
        ({"request": {"function": "f", "arguments": "x"}}, 'f "x"'),
        ({"request": {"function": {"name": "a\nb"}}}, "a b {}"),
    ],
)
def test_function_calls_of_any_shape_are_shown_on_one_line(
    make_evidence: Callable[..., Evidence], event: dict[str, Any], line: str
) -> None:
    assert blocks(make_evidence("ok", events=[event]), with_actions=True)[2].text == line


@pytest.mark.parametrize("event", [{"systemPrompt": "x"}, {"output": "y"}, {"request": "text"}, {"request": {}}, {}])
def test_other_events_are_no_actions(make_evidence: Callable[..., Evidence], event: dict[str, Any]) -> None:
    assert len(blocks(make_evidence("ok", events=[event]), with_actions=True)) == 2
