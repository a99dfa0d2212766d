"""In simulated time: nothing waits here."""

import pytest

from stoic_assets.core.calls.adaptive_rate import MARGIN
from stoic_assets.core.calls.token_budget import TokenBudget


def test_a_budget_of_tokens_is_kept_over_time_whatever_a_request_needs() -> None:
    budget, now, used = TokenBudget(60_000), 0.0, 0
    for number in range(400):
        now = max(now, budget.opens_at)
        tokens = 500 if number % 2 else 4500
        budget.settle(budget.reserve(now, 0), tokens)
        used += tokens
    assert used / now == pytest.approx(MARGIN * 1000, rel=0.02)


def test_long_requests_keep_within_a_budget_before_the_first_reply_tells_what_they_need() -> None:
    budget, now = TokenBudget(60_000), 0.0
    for _ in range(3):
        now = max(now, budget.opens_at)
        assert budget.reserve(now, 20_000) == 20_000
    assert now == pytest.approx(2 * 20 / MARGIN)
    assert budget.reserve(now, 5) == 1000, "a short request is assumed to need the average"


def test_a_request_without_a_reply_gives_its_tokens_back() -> None:
    budget = TokenBudget(60_000)
    budget.settle(budget.reserve(5.0, 0), 0)
    assert budget.opens_at == pytest.approx(5.0)


def test_a_request_is_assumed_to_need_what_replies_did_and_one_without_a_reply_tells_nothing() -> None:
    budget = TokenBudget(60_000)
    budget.settle(budget.reserve(0.0, 0), 3000)
    assert budget.reserve(0.0, 0) == 1100
    budget.settle(1100, 0)
    assert budget.reserve(0.0, 0) == 1100
    budget.settle(1100, 100)
    assert budget.reserve(0.0, 0) == 1050


def test_tokens_that_are_reserved_at_once_add_up() -> None:
    budget = TokenBudget(60_000)
    for _ in range(3):
        budget.reserve(5.0, 2000)
    assert budget.opens_at == pytest.approx(5.0 + 3 * 2 / MARGIN)
