"""What model calls cost together, and when nobody can tell."""

import pytest

from stoic_assets.core.model_costs import total_cost

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
