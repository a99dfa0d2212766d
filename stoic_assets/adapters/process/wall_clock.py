"""The time of day, for storage. Durations are measured with other clocks."""

from datetime import UTC, datetime


def now() -> str:
    """The present time in UTC, as ISO 8601."""
    return datetime.now(UTC).isoformat()
