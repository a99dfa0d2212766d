"""Model calls by role and model, and what they cost by job."""

import pytest

from stoic_assets.core.reports.model_calls import COSTLIEST, JobCost, costliest_jobs, model_calls


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


def of_trial(trial_id: str | None, role: str, cost: float | None, error: str | None = None) -> dict[str, object]:
    return call(cost=cost, error=error) | {"trial_id": trial_id, "role": role}


def test_the_jobs_are_named_whose_trials_cost_most() -> None:
    trials = [{"trial_id": f"t{n}", "job": job, "scenario": scenario} for n, (job, scenario) in enumerate(
        [("chat", None), ("chat", None), ("advice", "grief"), ("advice", "anger"), ("free", None), ("unpriced", None)]
    )]  # fmt: skip
    calls = [
        of_trial("t0", "evaluator", 0.5), of_trial("t1", "judge", 2.5), of_trial("t1", "judge", None, "HTTP 500"),
        of_trial("t2", "judge", 1.0), of_trial("t3", "judge", 2.0), of_trial("t4", "judge", 0.0),
        of_trial("t5", "judge", None), of_trial("t5", "judge", 9.0), of_trial(None, "judge", 9.0),
    ]  # fmt: skip
    found = costliest_jobs(calls, trials)
    assert found == [
        JobCost("advice~anger", 1, 0.0, 2.0), JobCost("chat", 2, 0.25, 1.25), JobCost("advice~grief", 1, 0.0, 1.0),
    ]  # fmt: skip
    assert [cost.trial_usd for cost in found] == [2.0, 1.5, 1.0]


def test_of_many_jobs_the_costliest_are_named_and_of_equals_the_first() -> None:
    trials = [{"trial_id": f"t{n}", "job": f"j{n:02}", "scenario": None} for n in range(COSTLIEST + 5)]
    calls = [of_trial(f"t{n}", "judge", 2.0 if n == COSTLIEST else 1.0) for n in range(COSTLIEST + 5)]
    assert [cost.job for cost in costliest_jobs(calls, trials)] == ["j10", *(f"j{n:02}" for n in range(COSTLIEST - 1))]
