"""What calls of language models cost, one and all; one rule for the ceiling, the tables, the report and the nights."""

from math import fsum

from stoic_assets.core.configuration.settings import Price
from stoic_assets.core.table_rows import Row, Rows


def call_cost(price: Price | None, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
    """US dollars for one call; None where price or tokens are not known and it may have cost something."""
    if price is None:
        return None
    if prompt_tokens is None or completion_tokens is None:
        return None if price.input or price.output else 0.0
    return (prompt_tokens * price.input + completion_tokens * price.output) / 1e6


def total_cost(calls: Rows) -> float | None:
    """US dollars for rows of `llm_calls`; None where a call was answered and its tokens or price are not known.

    A call without an answer adds nothing and does not make the total unknown: nobody reports what it cost.
    """
    if any(map(_is_unknown, calls)):
        return None
    return fsum(call.get("cost_usd") or 0.0 for call in calls)


def of_unknown_cost(calls: Rows) -> list[str]:
    """The models, by name, whose calls make the total of these rows of `llm_calls` unknown."""
    return sorted({call["model"] for call in calls if _is_unknown(call)})


def _is_unknown(call: Row) -> bool:
    return call.get("cost_usd") is None and call.get("error") is None
