"""How fast one endpoint may be called: the arithmetic of an adaptive limit. Times are passed in, nothing waits here.

Times are seconds of any monotonic clock, rates are requests per second. A known ceiling is observed from the start; the
rest is learned from refusals (429, 529) and time-outs: multiplicative decrease, additive increase.
"""

import math
from collections import deque
from dataclasses import dataclass

from stoic_assets.core.calls.sustained_rate import BELOW, SustainedRate

MARGIN = 0.97
"""Share of a limit that is used. Servers count in windows: jitter must not make one request too many."""
MADE_GOOD = 0.02
"""Seconds of a late departure that do not delay those behind it; more would be a burst."""
CUT = MARGIN
"""Share of the accepted rate that is used after a refusal, which shows what the endpoint accepts."""
CUT_AFTER_TIMEOUTS = 0.8
"""The share after time-outs, which show only that it was too much."""
SOON = 3.0
"""Seconds. A rate that is refused again within them was too high by more than it seemed."""
CUT_AGAIN = 0.9
"""Share of such a rate to which it is cut at least."""
ENOUGH = 20
"""Requests. Fewer do not show a rate: small buckets, jitter and rounded pauses mislead."""
CUT_IN_DOUBT = 0.7
"""Share of a rate below which fewer than `ENOUGH` requests cut none."""
A_BURST = 50
"""Fewer requests, accepted in less time than the pause after them, may have been a bucket: they show no rate at all."""
FASTER = 3.0
"""The multiple of the rate that the pause suggests, at which a search for the rate starts."""
FASTER_EVERY = 0.4
"""Seconds in which a search doubles the rate."""
SEARCHED_FOR = 10.0
"""Seconds without a refusal after which a search ends: what limited the burst no longer exists."""
SHORTEST_READING = 0.15
"""Seconds. In less time, one request more or less changes the rate too much."""
DOUBLED_AFTER = 120.0
"""Seconds without a refusal until the rate has doubled. Every attempt to exceed a true limit costs a pause."""
DOUBLED_AFTER_DOUBT = 50.0
"""These seconds where the last cut showed little more than that there was a limit."""
BACK_AFTER = 5.0
"""Seconds without a refusal until a rate has doubled that is below one which the endpoint had accepted for long."""
PARDONED = 2.0
"""The multiple of the accepted rate while refusals are not about it: pauses were a part of it."""
LATE_SHARE = 0.1
"""If fewer of the requests time out, something else hangs: that is no sign of overload."""


@dataclass
class _Cut:
    """The evidence for cutting a rate: `taken` (accepted) requests since the endpoint opened, and when the latest left.

    `departed` is when the first refused one left, `refused` when its refusal arrived. `burst` is the cut that a search
    followed, if there was one.
    """

    opened: float
    departed: float
    refused: float
    reopens: float
    rate: float
    taken: int
    latest: list[float]
    soon: bool = False
    burst: "_Cut | None" = None
    timeouts: bool = False

    @property
    def is_burst(self) -> bool:
        """Whether it says nothing about the rate: a bucket was emptied, and the pause after it may be rounded up."""
        unknown = self.rate == math.inf and not self.timeouts
        return unknown and self.taken < A_BURST and self.reopens - self.refused > self.departed - self.opened

    @property
    def doubtful(self) -> bool:
        """Whether it shows little more than that there was a limit."""
        ended_search = self.burst is not None and self.burst.reopens == self.opened
        return not self.timeouts and (self.taken < ENOUGH or ended_search)

    def discount(self, departed: float) -> None:
        """Another of the requests that had left before the cut was refused."""
        self.taken -= 1
        self.departed = min(self.departed, departed)
        if departed in self.latest:
            self.latest.remove(departed)

    def took(self) -> float:
        """The requests per second that the endpoint accepted, as far as this can be known.

        The largest of three estimates: over the whole time, whose pause is too long if Retry-After is rounded up;
        within a second, which shows windows shorter than the pause; and from how a bucket was drained. A rate too high
        costs one more refusal, a rate too low a minute. If nothing was accepted the endpoint is closed, and its rate
        remains unknown.
        """
        if not self.taken:
            return self.rate
        refill = self._refill()
        took = min(self.rate, max(self._over_all(), self._within_a_second(), refill))
        if self.rate == math.inf:
            return took
        if self.soon:
            took = min(took, CUT_AGAIN * self.rate)
        in_doubt = self._few or (self.burst is not None and not refill)
        return max(took, CUT_IN_DOUBT * self.rate) if in_doubt else took

    @property
    def _few(self) -> bool:
        return self.taken < ENOUGH and not self.timeouts and self.rate < math.inf

    def _over_all(self) -> float:
        return self.taken / max((self.refused if self._few else self.reopens) - self.opened, 1e-3)

    def _within_a_second(self) -> int:
        return sum(moment > self.refused - 1 for moment in self.latest)

    def _refill(self) -> float:
        """The refill rate of a bucket that the burst had emptied at once, and that was now emptied more slowly.

        Since it was last full, it gave its content and what flowed in. That moment is the one that makes the rate
        largest, since before it more flowed in than was taken.
        """
        if self.burst is None:
            return 0.0
        content, at_once = len(self.burst._before()), self.burst.departed - self.burst.opened
        given = self._before()
        return max((
            (len(given) - index - content) / (self.departed - moment - at_once)
            for index, moment in enumerate(given)
            if self.departed - moment > SHORTEST_READING + at_once
        ), default=0.0)  # fmt: skip

    def _before(self) -> list[float]:
        """When the requests left that were accepted before the first refused one; later ones got only small refills."""
        return [moment for moment in self.latest if moment < self.departed]


class AdaptiveRate:
    """When the next request to an endpoint may leave.

    Departures are evenly spaced, since a server that counts in windows refuses the tail of a burst. A burst of refusals
    causes one cut. From then on the rate climbs in growing steps while nothing is refused, up to `ceiling`; if the
    first refusal showed no rate, it climbs fast until the second does. Time-outs do not bring it below `least`.
    Refusals at rates accepted before cut nothing.
    """

    def __init__(self, ceiling: float = math.inf, least: float = 0.0) -> None:
        self._ceiling, self._least, self._base = MARGIN * ceiling, least, MARGIN * ceiling
        self._next = self._opens = self._cut_at = -math.inf
        self._opened: float | None = None
        self._taken = self._late = 0
        self._latest: deque[float] = deque()
        self._cut: _Cut | None = None
        self._burst: _Cut | None = None
        self._searching = False
        self._sustained = SustainedRate()

    @property
    def opens_at(self) -> float:
        """The moment at which the next request may leave; in the past if it may at once."""
        return max(self._next, self._opens)

    def rate(self, now: float) -> float:
        """Requests per second at this moment."""
        quiet = self._quiet(now)
        if self._searching:
            return self._base * 2 ** min(quiet / FASTER_EVERY, SEARCHED_FOR / FASTER_EVERY)
        doubled_after = DOUBLED_AFTER_DOUBT if self._cut and self._cut.doubtful else DOUBLED_AFTER
        return min(self._ceiling, max(self._base * (1 + (quiet / doubled_after) ** 2), self._way_back(quiet)))

    def _way_back(self, quiet: float) -> float:
        """The rate on the way to one that the endpoint has accepted for long, or beyond if that is no matter."""
        growth, sustained = 1 + (quiet / BACK_AFTER) ** 2, self._sustained
        if sustained.pardoning:
            return PARDONED * sustained.best * growth
        return self._base * growth if sustained.doubted else min(BELOW * sustained.best, self._base * growth)

    def depart(self, now: float) -> None:
        """A request leaves."""
        self._sustained.depart(now)
        if self._searching and self._quiet(now) > SEARCHED_FOR:
            self._searching, self._burst, self._base = False, None, self._ceiling
        self._opened = now if self._opened is None else self._opened
        self._next = max(self._next, now - MADE_GOOD) + 1 / self.rate(now)
        self._taken += 1
        self._latest.append(now)
        self._drop_old(now)

    def close(self, until: float) -> None:
        """Nothing leaves before that moment."""
        self._opens = max(self._opens, until)

    def refused(self, departed: float, now: float, until: float) -> None:
        """The request that left at `departed` was refused; nothing leaves before `until`, if that is about the rate."""
        self._sustained.refused()
        if departed > self._cut_at:
            self._taken -= 1
            if departed in self._latest:
                self._latest.remove(departed)
            soon = self._quiet(now) < SOON or self._taken < ENOUGH
            if self._taken and self._sustained.pardons(now, self.rate(now), soon):
                self._base, self._cut, self._searching = max(self._base, self._sustained.best), None, False
                return
            if self._taken:
                self._start_cut(departed, now, until)
                self._cut_down()
            else:
                self._opened = until  # until then it is closed
        elif self._cut and departed >= self._cut.opened:  # the burst was larger than was known at its cut
            self._cut.discount(departed)
            self._cut_down()
        self.close(until)

    def timed_out(self, departed: float, now: float) -> None:
        """The request that left at `departed` got no answer in time."""
        if departed > self._cut_at:
            self._late += 1
            if self._late > LATE_SHARE * self._taken:
                cut = self._start_cut(departed, now, now, timeouts=True)
                self._sustained = SustainedRate()
                self._base, self._searching = max(self._least, CUT_AFTER_TIMEOUTS * cut.took()), False

    def _cut_down(self) -> None:
        assert self._cut is not None  # noqa: S101 - there was a refusal
        self._searching = self._cut.is_burst and self._cut.taken > 0
        if self._searching:
            self._burst = self._cut
        self._base = (FASTER if self._searching else CUT) * self._cut.took()

    def _start_cut(self, departed: float, now: float, until: float, timeouts: bool = False) -> _Cut:
        self._drop_old(now)
        self._cut = _Cut(
            opened=now if self._opened is None else self._opened, departed=departed, refused=now, reopens=until,
            rate=self.rate(now), taken=self._taken, latest=list(self._latest), soon=self._quiet(now) < SOON,
            burst=self._burst, timeouts=timeouts,
        )  # fmt: skip
        self._opened, self._cut_at = until, now
        self._taken = self._late = 0
        return self._cut

    def _quiet(self, now: float) -> float:
        """Seconds since the endpoint last opened after a refusal."""
        return max(0.0, now - max(self._cut_at, self._opens))

    def _drop_old(self, now: float) -> None:
        """Drops old departures: they are kept for a second or, after a burst, for as long as its search may last."""
        since = now - (SEARCHED_FOR if self._burst else 1)
        while self._latest and self._latest[0] <= since:
            self._latest.popleft()
