"""The figures of reply times."""

import pytest

from stoic_assets.core.reports.reply_times import quantile, reply_times


def test_only_the_agents_replies_count() -> None:
    turns = [{"speaker": "user", "response_ms": 9e9}, {"speaker": "agent", "response_ms": None}]
    assert reply_times(turns) is None
    found = reply_times([*turns, *({"speaker": "agent", "response_ms": float(time)} for time in (100, 200, 600))])
    assert found
    assert (found.count, found.mean) == (3, pytest.approx(300))
    assert found.within == {0.5: 200, 0.9: 600, 0.99: 600, 1.0: 600}


def test_quantiles_are_times_that_were_measured() -> None:
    times = [float(number) for number in range(100, 0, -1)]
    assert [quantile(times, share) for share in (0.0, 0.5, 0.9, 0.99, 1.0)] == [1, 50, 90, 99, 100]
    assert quantile([7.0], 0.5) == 7
