"""Converting moments, with a zone or without, to UTC."""

from datetime import UTC, datetime

FIRST, LAST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
"""The bounds of times that tables hold: every zone has them. Some programs write 0001-01-01 for a time not known."""


def in_utc(moment: datetime | str) -> datetime:
    """A moment in UTC; one without a zone is assumed to be in UTC.

    Raises `ValueError` for a text that is no ISO 8601 time, `OverflowError` beyond the years 1 to 9999.
    """
    time = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


def checked_moment(text: str) -> str:
    """`text` itself. Raises `ValueError`, which shows how to write a time, unless it is one from `FIRST` to `LAST`."""
    try:
        if FIRST <= in_utc(text) <= LAST:
            return text
    except (ValueError, OverflowError):
        pass
    raise ValueError(f"{text[:60]!r} is not a time; write it as 2026-11-25T09:30:00Z")


def utc_text(moment: datetime | str) -> str:
    """The moment in UTC as text in ISO 8601, in the form of RFC 3339."""
    return in_utc(moment).isoformat()
