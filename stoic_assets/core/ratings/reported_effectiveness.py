"""The agent's own figure for how effective a reply was, where its events contain one."""

from collections.abc import Iterable, Mapping
from typing import Any


def reported_effectiveness(events: Iterable[Mapping[str, Any]]) -> float | None:
    """The PAD effectiveness, 0–1, of the last event that has one; None where none has.

    It is the field `effectiveness` of an event or of its `metrics`. It is computed from the mood of the person's words,
    not from the reply, so it need not agree with what raters say.
    """
    found = [_of(event) for event in events]
    return next((value for value in reversed(found) if value is not None), None)


def _of(event: Mapping[str, Any]) -> float | None:
    metrics = event.get("metrics")
    value = event.get("effectiveness", metrics.get("effectiveness") if isinstance(metrics, Mapping) else None)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= 1 else None
