"""The time of day, as it is stored. What lasts is measured with other clocks."""

from datetime import UTC, datetime


def now() -> str:
    """UTC, ISO 8601."""
    return datetime.now(UTC).isoformat()
