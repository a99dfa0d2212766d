"""The agent's own word on how effective a reply was, where its events carry one."""

from collections.abc import Iterable, Mapping
from typing import Any


def reported_effectiveness(events: Iterable[Mapping[str, Any]]) -> float | None:
    """The PAD effectiveness, 0–1, that the last event tells which has one; None where none has.

    It stands under `effectiveness`, at the top of an event or inside its `metrics`. It is computed from the mood of the
    person's words, not from the reply, so it need not go together with what raters say.
    """
    told = [_of(event) for event in events]
    return next((value for value in reversed(told) if value is not None), None)


def _of(event: Mapping[str, Any]) -> float | None:
    metrics = event.get("metrics")
    value = event.get("effectiveness", metrics.get("effectiveness") if isinstance(metrics, Mapping) else None)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= 1 else None
