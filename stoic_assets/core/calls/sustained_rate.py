"""Whether refusals are about our rate at all: an overloaded server or a gateway refuses some at any rate.

Times are seconds of any monotonic clock, rates are requests per second. Nothing waits here.
"""

import math

SUSTAINED = 3.0
"""Seconds for which a rate must have been accepted: a bucket or a window takes a burst at any rate."""
SUSTAINED_REQUESTS = 100
"""So many requests must have been accepted besides."""
BELOW = 0.9
"""The share of an accepted rate at which a refusal is no longer explained by the rate."""
IN_VAIN = 2
"""So many refusals there, one after the other, show that to slow down is in vain."""
PARDONS = 20
"""So many refusals are then repeated without slowing down, before it is tried again whether that helps."""
BROKEN_PROMISE = 0.5
"""If less than this share of the rate was accepted meanwhile, it was about the rate: the server allows less now."""


class SustainedRate:
    """The highest rate that an endpoint has accepted for some seconds (`best`), and what refusals below it mean.

    `doubted`: lately refusals were not about the rate, so that it is to climb fast once nothing is refused.
    """

    def __init__(self) -> None:
        self.best = 0.0
        self.doubted = False
        self._in_vain = self._pardons = self._accepted = 0
        self._since = math.inf

    @property
    def pardoning(self) -> bool:
        """Whether refusals are at present known not to be about the rate."""
        return self._pardons > 0

    def depart(self, now: float) -> None:
        """A request leaves: it counts as accepted unless it is refused."""
        self._since = min(self._since, now)
        if not self.pardoning and now - self._since >= SUSTAINED and self._accepted >= SUSTAINED_REQUESTS:
            self._settle(now)
        self._accepted += 1

    def refused(self) -> None:
        """One of the requests was refused."""
        self._accepted -= 1

    def pardons(self, now: float, rate: float, soon: bool) -> bool:
        """Whether a refusal at that rate is no reason for a cut; `soon`: the last cut was not long ago."""
        if self.pardoning:
            self._pardons -= 1
            if not self.pardoning:
                self._settle(now)
            return True
        self._in_vain = self._in_vain + 1 if rate <= BELOW * self.best else 0
        self.doubted = self.doubted and (soon or self._in_vain > 0)
        if self._in_vain == IN_VAIN:
            self._in_vain, self._pardons, self._since, self._accepted = 0, PARDONS, now, 0
            self.doubted = True
        return self.pardoning

    def _settle(self, now: float) -> None:
        mean = self._accepted / max(now - self._since, 1e-3)
        self.best = mean if mean < BROKEN_PROMISE * self.best else max(self.best, mean)
        self._since, self._accepted = now, 0
