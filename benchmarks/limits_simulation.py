"""The workload of `benchmarks.limits` in simulated time: how the adaptive rate performs on each kind of server.

    python -m benchmarks.limits_simulation [SEEDS]

A run takes milliseconds; a seed gives the same result each time. The constants of `core/calls/adaptive_rate.py` come
from it. Callers, network and server are simulated, `AdaptiveRate` is the real one. Prints Markdown tables.
"""

import heapq
import math
import random
import statistics
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

from benchmarks.limits import COUNTERS, FLOOR, LATENCY, MESSAGES, PER_SECOND, RETRY_AFTER, TRIALS, VERDICTS, Counter
from benchmarks.markdown_table import print_table
from stoic_assets.core.calls.adaptive_rate import AdaptiveRate

CLIENT_WORK, SERVER_WORK, NETWORK, LATE_TIMER = 0.0004, 0.001, 0.0015, 0.0015
"""Seconds: CPU time of a request on either side, and the means of a network trip and of a timer's delay."""
STALL_EVERY, STALL = 300, 0.04
"""One request in so many meets a client that is busy for so many seconds."""
FALLBACK = 0.1
"""Seconds of the pause if the server gives none, or less."""


@dataclass(frozen=True)
class Overload:
    """What a server refuses at any rate: this share of the requests, from one moment until another."""

    share: float
    since: float = 0.0
    until: float = math.inf


OVERLOADS = {
    "0.1 %": Overload(0.001), "1 %": Overload(0.01), "5 %": Overload(0.05), "20 %": Overload(0.2),
    "half, for ten seconds": Overload(0.5, 3.0, 13.0),
}  # fmt: skip
LONGER = 80
"""Messages of a trial with an overloaded server: enough for refusals to add up."""


class Overloaded:
    """A server without a limit that refuses requests by chance."""

    def __init__(self, overload: Overload, seed: int) -> None:
        self._overload, self._dice = overload, random.Random(seed)

    def wait(self, now: float) -> float:
        overload = self._overload
        return float(overload.since <= now < overload.until and self._dice.random() < overload.share)


class Simulation:
    """60 trials of some messages, one after the other, and five verdicts at once, with one server."""

    def __init__(self, server: Counter, retry_after: str, seed: int, messages: int = MESSAGES) -> None:
        self._server, self._said, self._dice = server, RETRY_AFTER[retry_after], random.Random(seed)
        self._rate = AdaptiveRate()
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._order = count()
        self._queue = deque(range(TRIALS))
        self._to_do = dict.fromkeys(range(TRIALS), messages + VERDICTS)
        self._client_free = self._server_free = self._end = 0.0
        self._door_watched = False
        self.refused = 0

    def run(self) -> float:
        """Seconds from the first request to the last reply."""
        start = now = 0.3 + self._dice.random()
        self._watch_door(now)
        while self._events:
            now, _, happen = heapq.heappop(self._events)
            happen(now)
        return self._end - start

    def _at(self, moment: float, happen: Callable[[float], None]) -> None:
        heapq.heappush(self._events, (moment, next(self._order), happen))

    def _some(self, mean: float) -> float:
        return self._dice.expovariate(1 / mean)

    def _watch_door(self, now: float) -> None:
        if self._queue and not self._door_watched:
            self._door_watched = True
            self._at(max(now, self._client_free), self._door)

    def _door(self, now: float) -> None:
        self._door_watched = False
        if (opens := max(self._rate.opens_at, self._client_free)) > now:
            self._door_watched = True
            self._at(opens + self._some(LATE_TIMER), self._door)
        elif self._queue:
            self._depart(self._queue.popleft(), now)
            self._watch_door(now)

    def _depart(self, trial: int, now: float) -> None:
        self._rate.depart(now)
        stall = self._some(STALL) if self._dice.random() * STALL_EVERY < 1 else 0.0
        self._client_free = now + CLIENT_WORK + stall
        self._server_free = max(now + NETWORK + self._some(NETWORK), self._server_free) + SERVER_WORK
        self._at(self._server_free, lambda moment: self._arrive(trial, now, moment))

    def _arrive(self, trial: int, departed: float, now: float) -> None:
        back = now + NETWORK + self._some(NETWORK)
        if wait := self._server.wait(now):
            said = self._said(wait)
            pause = max(FALLBACK, float(said or 0))
            self._at(back, lambda moment: self._refuse(trial, departed, moment, pause, bool(said)))
        else:
            self._at(back + LATENCY, lambda moment: self._reply(trial, moment))

    def _refuse(self, trial: int, departed: float, now: float, pause: float, said: bool) -> None:
        self.refused += 1
        self._rate.refused(departed, now, now + pause)
        if said:
            self._rate.close(now + pause)
        self._at(now + pause, lambda moment: self._ask(moment, [trial]))

    def _reply(self, trial: int, now: float) -> None:
        self._end = now
        self._to_do[trial] -= 1
        if self._to_do[trial] >= VERDICTS:
            self._ask(now, [trial] * (VERDICTS if self._to_do[trial] == VERDICTS else 1))

    def _ask(self, now: float, requests: list[int]) -> None:
        self._queue.extend(requests)
        self._watch_door(now)


def row(cells: Sequence[str], figures: Sequence[float], form: str) -> list[str]:
    """A row of a table: its first cells, then the range of the sorted figures and their median."""
    low, high, middle = (format(figure, form) for figure in (figures[0], figures[-1], statistics.median(figures)))
    return [*cells, f"{low}–{high}", f"**{middle}**"]


def ratios(counter: str, retry_after: str, seeds: int) -> list[float]:
    """Time for the workload divided by the floor, one for each seed; sorted."""
    runs = [Simulation(COUNTERS[counter](), retry_after, seed).run() for seed in range(seeds)]
    return sorted(seconds / FLOOR for seconds in runs)


def seconds_overloaded(overload: Overload, seed: int) -> float:
    """Seconds that `LONGER` trials take with such a server, which says nothing of when to try again."""
    return Simulation(Overloaded(overload, seed), "none", seed, LONGER).run()


def main(seeds: int) -> None:
    print_table(
        f"Servers with a limit of {PER_SECOND} requests a second",
        ["server counts", "Retry-After", "ratios", "median ratio"],
        (row([kind, wish], ratios(kind, wish, seeds), ".3f") for kind in COUNTERS for wish in RETRY_AFTER),
    )
    overloads = {"nothing": Overload(0.0), **OVERLOADS}
    took = {name: sorted(seconds_overloaded(each, seed) for seed in range(seeds)) for name, each in overloads.items()}
    print_table(
        "Overloaded servers without a limit", ["refused at any rate", "seconds", "median"],
        (row([name], seconds, ".1f") for name, seconds in took.items()),
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 25)
