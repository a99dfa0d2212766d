"""The part of a trial's evidence that a judge sees, in reading order."""

import json
from collections.abc import Iterable
from typing import Any

from stoic_assets.core.conversation.evidence import PLAIN, Evidence
from stoic_assets.core.function_calls import FunctionCall, call_of
from stoic_assets.core.judging.fence import Block


def judged(evidence: Evidence) -> bool:
    """Whether a judge is asked at all: the conversation ended regularly and the agent said something.

    An agent error scores 0 without a judge; the agent is not responsible for the other outcomes.
    """
    spoke = any(turn.speaker == "agent" for turn in evidence.turns)
    return spoke and evidence.outcome in PLAIN


def blocks(evidence: Evidence, with_actions: bool) -> tuple[Block, ...]:
    """The messages in order; with actions, each reply is followed by the function calls behind it."""
    found = []
    for turn in evidence.turns:
        found.append(Block(f"message {turn.turn}, {turn.speaker}", turn.content))
        calls = function_calls(turn.events) if with_actions else []
        if calls:
            found.append(Block(f"actions of the agent before message {turn.turn} (function calls)", "\n".join(calls)))
    return tuple(found)


def function_calls(events: Iterable[Any]) -> list[str]:
    """The function calls among a turn's events, each as `name arguments`; other events are not actions."""
    return [_described(call) for event in events if (call := call_of(event))]


def _described(call: FunctionCall) -> str:
    """One call on one line: JSON escapes line breaks in the arguments."""
    line = f"{call.name} {as_json(call.arguments)}"
    return (f"{line} (context: {as_json(call.context)})" if call.context else line).replace("\n", " ")


def as_json(value: object) -> str:
    """Readable JSON; what JSON cannot express is shown as text."""
    return json.dumps(value, ensure_ascii=False, default=str)
