"""The total cost of calls of language models; one rule for the tables, the report and the nights."""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any


def total_cost(calls: Sequence[Mapping[str, Any]]) -> float | None:
    """US dollars for rows of `llm_calls`; None where a call was answered and its tokens or price are not known.

    A call without an answer adds nothing and does not make the total unknown: nobody reports what it cost.
    """
    if any(call.get("cost_usd") is None and call.get("error") is None for call in calls):
        return None
    return fsum(call.get("cost_usd") or 0.0 for call in calls)
