from datetime import UTC, datetime

from stoic_assets.adapters.process.wall_clock import now


def test_now_is_a_moment_in_utc_as_text() -> None:
    before = datetime.now(UTC)
    told = datetime.fromisoformat(now())
    assert told.tzinfo == UTC
    assert before <= told <= datetime.now(UTC)
