"""How fast one endpoint may be asked: the arithmetic of a limit that adapts. Clocks are passed in, nobody waits here.

Times are seconds of any steady clock, rates are requests a second. What is known beforehand (a ceiling, a budget of
tokens) is kept from the start; the rest is learned from refusals (429) and time-outs: multiplicative decrease, additive
increase.
"""

import math
from collections import deque
from dataclasses import dataclass

MARGIN = 0.97
"""Share of a limit that is used. Servers count in windows: an arrival that jitters must not be one too many."""
MADE_GOOD = 0.02
"""Seconds by which a departure that woke up late does not delay those behind it; more would be a burst."""
CUT, CUT_AFTER_TIMEOUTS = MARGIN, 0.8
"""Shares of what the endpoint took: a refusal tells what it does take, a time-out only that it was too much."""
SOON, CUT_AGAIN = 3.0, 0.9
"""A rate that is refused again within so many seconds was further off than it looked: then no cut is less deep."""
ENOUGH, CUT_IN_DOUBT = 20, 0.7
"""Fewer requests tell no rate: small buckets, jitter and rounded pauses mislead. Then no cut is deeper."""
DOUBLED_AFTER, DOUBLED_AFTER_DOUBT = 120.0, 30.0
"""Seconds without a refusal until the rate has doubled. Every probing beyond a true limit costs a pause."""
LATE_SHARE = 0.1
"""Where fewer of the requests time out, something else hangs: no sign of overload."""
FIRST_GUESS, REMEMBERED = 1000.0, 20
"""Tokens of a request before any reply told better, and how many replies the mean reaches back."""


@dataclass
class _Cut:
    """The evidence that a rate was cut on: `taken` requests since the endpoint opened, `lately` in the last second."""

    opened: float
    refused: float
    reopens: float
    rate: float
    taken: int
    lately: int
    soon: bool
    timeouts: bool

    @property
    def doubtful(self) -> bool:
        """Whether it tells no more than that there was a limit."""
        return self.taken < ENOUGH and not self.timeouts

    def took(self) -> float:
        """The requests a second that the endpoint took, as far as can be told.

        The larger of two readings: over the whole time, where the pause in it is too long if Retry-After is rounded up;
        within a second, which shows windows shorter than the pause. A rate too high costs one more refusal, a rate too
        low a minute. Where nothing was taken the endpoint is closed, and its rate remains unknown.
        """
        if not self.taken:
            return self.rate
        seconds = (self.refused if self.doubtful else self.reopens) - self.opened
        took = min(self.rate, max(self.taken / max(seconds, 1e-3), self.lately))
        if self.rate == math.inf:
            return took
        deepest = CUT_IN_DOUBT if self.doubtful else 0.0
        return max(deepest * self.rate, min(took, CUT_AGAIN * self.rate if self.soon else took))


class AdaptiveRate:
    """When the next request to an endpoint may leave.

    Departures are evenly spaced, for a server that counts in windows refuses the tail of a burst. A burst of refusals
    is cut for once. From then on the rate climbs in steps that grow while nothing is refused, up to `ceiling`.
    Time-outs do not bring it below `least`.
    """

    def __init__(self, ceiling: float = math.inf, least: float = 0.0) -> None:
        self._ceiling, self._least, self._base = MARGIN * ceiling, least, MARGIN * ceiling
        self._next = self._opens = self._cut_at = -math.inf
        self._opened: float | None = None
        self._taken = self._late = 0
        self._lately: deque[float] = deque()
        self._cut: _Cut | None = None

    @property
    def opens_at(self) -> float:
        """The moment at which the next request may leave; in the past if it may at once."""
        return max(self._next, self._opens)

    def rate(self, now: float) -> float:
        """Requests a second at this moment."""
        doubled_after = DOUBLED_AFTER_DOUBT if self._cut and self._cut.doubtful else DOUBLED_AFTER
        return min(self._ceiling, self._base * (1 + (self._quiet(now) / doubled_after) ** 2))

    def depart(self, now: float) -> None:
        """A request leaves."""
        self._opened = now if self._opened is None else self._opened
        self._next = max(self._next, now - MADE_GOOD) + 1 / self.rate(now)
        self._taken += 1
        self._lately.append(now)
        self._forget(now)

    def close(self, until: float) -> None:
        """Nothing leaves before that moment."""
        self._opens = max(self._opens, until)

    def refused(self, departed: float, now: float, until: float) -> None:
        """The request that left at `departed` was refused; nothing leaves before `until`."""
        if departed in self._lately:
            self._lately.remove(departed)
        if departed > self._cut_at:
            self._taken -= 1
            if self._taken:
                self._base = CUT * self._begin_anew(now, until).took()
        elif self._cut and departed >= self._cut.opened:  # that burst was larger than was known when it was cut for
            self._cut.taken -= 1
            self._cut.lately -= departed > self._cut.refused - 1
            self._base = CUT * self._cut.took()
        self.close(until)

    def timed_out(self, departed: float, now: float) -> None:
        """The request that left at `departed` got no answer in time."""
        if departed > self._cut_at:
            self._late += 1
            if self._late > LATE_SHARE * self._taken:
                took = self._begin_anew(now, now, timeouts=True).took()
                self._base = max(self._least, CUT_AFTER_TIMEOUTS * took)

    def _begin_anew(self, now: float, until: float, timeouts: bool = False) -> _Cut:
        self._forget(now)
        opened = now if self._opened is None else self._opened
        self._cut = _Cut(
            opened=opened, refused=now, reopens=until, rate=self.rate(now), taken=self._taken,
            lately=len(self._lately), soon=self._quiet(now) < SOON, timeouts=timeouts,
        )  # fmt: skip
        self._opened, self._cut_at = until, now
        self._taken = self._late = 0
        return self._cut

    def _quiet(self, now: float) -> float:
        """Seconds since the endpoint last opened after a refusal."""
        return max(0.0, now - max(self._cut_at, self._opens))

    def _forget(self, now: float) -> None:
        while self._lately and self._lately[0] <= now - 1:
            self._lately.popleft()


class TokenBudget:
    """When a budget of tokens allows the next request, whose tokens are known only after its reply.

    Each is taken to need as many as replies did on average; the difference is settled when its reply is there.
    """

    def __init__(self, a_minute: float) -> None:
        self._seconds_each, self._mean = 60 / (MARGIN * a_minute), FIRST_GUESS
        self._level_at = -math.inf

    @property
    def opens_at(self) -> float:
        """The moment at which what was used is paid off."""
        return self._level_at

    def reserve(self, now: float) -> float:
        """The tokens that a request which leaves now is taken to need."""
        self._level_at = max(self._level_at, now) + self._mean * self._seconds_each
        return self._mean

    def settle(self, reserved: float, used: int) -> None:
        """A request that had `reserved` used so many; 0 if it got no reply."""
        self._level_at += (used - reserved) * self._seconds_each
        if used:
            self._mean += (used - self._mean) / REMEMBERED
