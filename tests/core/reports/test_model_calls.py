"""Model calls by role and model."""

import pytest

from stoic_assets.core.reports.model_calls import model_calls


def call(
    model: str = "m", cached: bool = False, cost: float | None = 0.5, error: str | None = None
) -> dict[str, object]:
    """A row of `llm_calls`."""
    tokens = 0 if cached else 100
    return {
        "role": "judge", "model": model, "cached": cached, "prompt_tokens": tokens, "completion_tokens": tokens,
        "cost_usd": 0.0 if cached else cost, "latency_ms": 0.0 if cached else 800.0, "error": error,
    }


def test_calls_are_added_up_and_cached_ones_do_not_lower_the_mean_time() -> None:
    (found,) = model_calls([call(), call(), call(cached=True), call(cost=None, error="HTTP 500"), call(cached=True)])
    assert (found.calls, found.cached, found.errors, found.prompt_tokens) == (5, 0.4, 1, 300)
    assert (found.latency_ms, found.cost_usd) == (800.0, pytest.approx(1.0))


def test_a_model_without_price_has_no_cost_and_one_all_cached_no_time() -> None:
    unpriced, cached = model_calls([call("a", cost=None), call("b", cached=True)])
    assert (unpriced.cost_usd, cached.latency_ms, cached.cost_usd) == (None, None, 0.0)


def test_tokens_that_an_answer_does_not_tell_are_not_known_in_sum() -> None:
    untold = call() | {"prompt_tokens": None, "cost_usd": None}
    (found,) = model_calls([call(), untold, call(cost=None, error="HTTP 500") | {"completion_tokens": None}])
    assert (found.prompt_tokens, found.completion_tokens, found.cost_usd) == (None, 200, None)
