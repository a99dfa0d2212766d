"""What model calls cost, one and all, and when nobody can tell."""

import pytest

from stoic_assets.core.calls.model_costs import call_cost, total_cost
from stoic_assets.core.configuration.settings import Price

PAID, CACHED = {"cost_usd": 0.25, "error": None}, {"cost_usd": 0.0, "error": None}
UNPRICED, FAILED = {"cost_usd": None, "error": None}, {"cost_usd": None, "error": "HTTP 500"}


@pytest.mark.parametrize(
    ("calls", "cost"),
    [
        ([], 0.0), ([PAID, PAID, CACHED], 0.5), ([PAID, FAILED], 0.25), ([FAILED], 0.0), ([PAID, UNPRICED], None),
        ([UNPRICED, FAILED], None), ([{"cost_usd": 0.1, "error": None}] * 10, 1.0),
    ],
)  # fmt: skip
def test_only_a_call_that_was_answered_without_a_price_hides_the_sum(
    calls: list[dict[str, object]], cost: float | None
) -> None:
    assert total_cost(calls) == cost


@pytest.mark.parametrize(
    ("price", "prompt", "completion", "cost"),
    [
        (Price(input=2, output=8), 1_000_000, 0, 2.0), (Price(input=2, output=8), 0, 1_000_000, 8.0),
        (Price(input=2, output=8), 500, 250, 0.003), (None, 500, 250, None), (None, None, None, None),
        (Price(input=2, output=8), None, 250, None), (Price(input=2, output=8), 500, None, None),
        (Price(input=0, output=8), 500, None, None), (Price(input=2, output=0), None, 250, None),
        (Price(input=0, output=0), None, 250, 0.0), (Price(input=0, output=0), None, None, 0.0),
    ],
)  # fmt: skip
def test_a_price_is_for_a_million_tokens_and_needs_the_number_of_both_kinds_unless_all_is_free(
    price: Price | None, prompt: int | None, completion: int | None, cost: float | None
) -> None:
    assert call_cost(price, prompt, completion) == pytest.approx(cost)
