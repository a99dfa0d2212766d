"""The figures of reply times."""

import pytest

from stoic_assets.core.reports.reply_times import reply_times


def test_only_the_agents_replies_count() -> None:
    turns = [{"speaker": "user", "response_ms": 9e9}, {"speaker": "agent", "response_ms": None}]
    assert reply_times(turns) is None
    found = reply_times([*turns, *({"speaker": "agent", "response_ms": float(time)} for time in (100, 200, 600))])
    assert found
    assert (found.count, found.mean) == (3, pytest.approx(300))
    assert found.within == {0.5: 200, 0.9: 600, 0.99: 600, 1.0: 600}
