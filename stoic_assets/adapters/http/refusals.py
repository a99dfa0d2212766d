"""What an answer with a status outside 2xx means for this request and the next, whichever service it is from."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

INVALID = (400, 422)
"""Statuses for a request with a part that the service does not accept."""
REPEATABLE = (408, 409, 423, 425)
"""Refusals that are temporary by definition: request timeout, conflict, locked, too early."""
BUSY = (429, 529)
"""Statuses of an endpoint that takes no more requests for now: of one caller, or, overloaded, of all."""
TIMED_OUT = (408, 504, 524)
"""Statuses of a service, or a gateway before it, that took too long."""
TURNED_AWAY = (403, 502, 503, 511, 521, 522, 523, 525, 526, 527, 530)
"""What gateways, Cloudflare's included, answer when they let nobody through, as a network before one logs in (511), or
reach no service behind them. It may be about a single request all the same: a moderation answers 403 to one message."""
PROXY_REFUSES = 407
"""The status of a proxy that asks for credentials, or for other ones."""


def is_busy(status: int, retry_after: float | None) -> bool:
    """Whether an answer is that of a busy endpoint: also OpenRouter's 402 while too much is under way to be paid.

    Without a time after which to try again, a 402 says that there is no credit left.
    """
    return status in BUSY or (status == 402 and retry_after is not None)


def is_final(status: int) -> bool:
    """Whether the same request would be refused again; ask `is_busy` first."""
    return status < 500 and status not in REPEATABLE


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """The seconds that an answer's Retry-After asks for (RFC 9110 §10.2.3: a number or a date); None if unreadable.

    A date is compared with that of the same answer: the server's clock may be wrong, and so may ours.
    """
    if not (value := headers.get("Retry-After")):
        return None
    try:
        seconds = float(value)
    except ValueError:
        moment = _moment(value)
        if moment is None:
            return None
        seconds = (moment - (_moment(headers.get("Date", "")) or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _moment(date: str) -> datetime | None:
    """A date of HTTP; None if unreadable."""
    try:
        moment = parsedate_to_datetime(date)
    except (ValueError, OverflowError):
        return None
    # A date without a zone is in UTC: HTTP knows no other.
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
