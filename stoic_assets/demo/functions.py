"""The functions that the demo agent calls, and their wire form."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_TEXT = {"type": "string"}
_REMINDER = {
    "id": _TEXT,
    "text": _TEXT,
    "due": {"type": ["string", "null"]},
    "zone": _TEXT,
    "zoneAssumed": {"type": "boolean"},
}
_DESCRIBED: dict[str, tuple[str, dict[str, Any]]] = {
    "createReminder": ("Writes a new reminder.", _REMINDER),
    "updateReminder": ("Changes the text, the time or the zone of a reminder.", _REMINDER),
    "cancelReminder": ("Deletes a reminder.", {"id": _TEXT}),
    "listReminders": ("Reads the user's reminders.", {}),
    "rememberPreference": ("Remembers something about the user.", {"subject": _TEXT, "text": _TEXT}),
    "keepNote": ("Keeps a note word for word.", {"id": _TEXT, "text": _TEXT}),
    "recallMemory": ("Looks up what is known about the user.", {"subject": _TEXT}),
}


@dataclass(frozen=True)
class Call:
    """One function call of the agent, with what it claims to have done."""

    function: str
    output: str
    arguments: dict[str, Any] = field(default_factory=dict)


def events(calls: Sequence[Call], system_prompt: str, context: str) -> list[dict[str, Any]]:
    """The events of one reply in wire form: the system prompt, then each call with its output."""
    shown: list[dict[str, Any]] = [{"systemPrompt": system_prompt}]
    for call in calls:
        request = {"function": {"name": call.function}, "arguments": call.arguments, "context": context}
        shown += [{"request": request}, {"output": call.output}]
    return shown


def metadata() -> list[dict[str, Any]]:
    """Every function in the form in which an object context lists them."""
    return [
        {
            "name": name,
            "description": description,
            "inputTypeSchema": json.dumps({"type": "object", "properties": properties, "required": list(properties)}),
            "label": None,
            "view": None,
            "staticMethod": False,
        }
        for name, (description, properties) in _DESCRIBED.items()
    ]
