"""When a known budget of tokens allows the next request to one endpoint. Times are passed in, nothing waits here."""

import math

from stoic_assets.core.calls.adaptive_rate import MARGIN

FIRST_GUESS, REMEMBERED = 1000.0, 20
"""Assumed tokens of a request before the first reply, and over how many replies the mean extends."""


class TokenBudget:
    """When a budget of tokens allows the next request, whose tokens are known only after its reply.

    Each is assumed to need as many as replies did on average, or what it is known to contain if that is more; the
    difference is settled when its reply arrives.
    """

    def __init__(self, a_minute: float) -> None:
        self._seconds_each, self._mean = 60 / (MARGIN * a_minute), FIRST_GUESS
        self._level_at = -math.inf

    @property
    def opens_at(self) -> float:
        """The moment from which the budget allows the next request."""
        return self._level_at

    def reserve(self, now: float, least: float) -> float:
        """Reserves, and returns, the tokens that a request which leaves now, of `least` tokens, is assumed to need."""
        tokens = max(self._mean, least)
        self._level_at = max(self._level_at, now) + tokens * self._seconds_each
        return tokens

    def settle(self, reserved: float, used: int) -> None:
        """Corrects what a request `reserved` to what it `used`; 0 if it got no reply."""
        self._level_at += (used - reserved) * self._seconds_each
        if used:
            self._mean += (used - self._mean) / REMEMBERED
