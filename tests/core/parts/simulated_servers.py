"""Servers with limits, and requests to them in simulated time: nothing waits here."""

import math
from collections import deque
from collections.abc import Callable

from stoic_assets.core.calls.adaptive_rate import AdaptiveRate

Server = Callable[[float], float]
"""Takes a request that arrives at that moment (0), or says in how many seconds it could be taken."""


def fixed_window(limit: int, seconds: float) -> Server:
    counted = {"window": -1, "taken": 0}

    def wait(now: float) -> float:
        window = math.floor(now / seconds)
        if window != counted["window"]:
            counted.update(window=window, taken=0)
        if counted["taken"] == limit:
            return (window + 1) * seconds - now
        counted["taken"] += 1
        return 0.0

    return wait


def sliding_window(limit: int, seconds: float) -> Server:
    taken: deque[float] = deque()

    def wait(now: float) -> float:
        while taken and taken[0] <= now - seconds:
            taken.popleft()
        if len(taken) == limit:
            return taken[0] + seconds - now
        taken.append(now)
        return 0.0

    return wait


def token_bucket(rate: float, size: int) -> Server:
    state = {"level": float(size), "at": 0.0}

    def wait(now: float) -> float:
        level = min(size, state["level"] + (now - state["at"]) * rate)
        state.update(level=level - (level >= 1), at=now)
        return 0.0 if level >= 1 else (1 - level) / rate

    return wait


def ask(rate: AdaptiveRate, server: Server, seconds: float, said: Callable[[float], float]) -> tuple[float, int]:
    """Requests a second that the server took of one who always has another, and how many it refused."""
    start = now = 0.31
    taken = refused = 0
    while now < start + seconds:
        now = max(now + 1e-4, rate.opens_at)
        rate.depart(now)
        wait = server(now)
        taken += not wait
        if wait:
            refused += 1
            now += 1e-4
            rate.refused(now - 1e-4, now, now + said(wait))
    return taken / seconds, refused


def left(rate: AdaptiveRate, times: int, start: float = 0.0, every: float = 0.01) -> list[float]:
    moments = [start + every * number for number in range(times)]
    for moment in moments:
        rate.depart(moment)
    return moments
