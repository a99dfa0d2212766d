"""How close the model adapter keeps to a server's request limit: 60 trials of 13 calls with 60 requests a second.

    python -m benchmarks.limits [RUNS] [--all]

The promise: within 1.1 times the floor (calls / limit) where `requests_per_minute` is configured, 1.2 times where the
limit must be found out; median of five runs. `--all` adds other kinds of servers, for which nothing is promised. Every
run has a new server, in a process of its own, and a new adapter. Prints a Markdown table.
"""

import argparse
import asyncio
import math
import statistics
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from benchmarks.markdown_table import print_table
from benchmarks.throughput.processes import listening
from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.models.openai_model import OpenAiModel
from stoic_assets.core.calls.chat import ChatRequest
from stoic_assets.core.configuration.endpoint_limits import Limits, ModelLimit

TRIALS, MESSAGES, VERDICTS, PER_SECOND, LATENCY = 60, 8, 5, 60, 0.2
CALLS = TRIALS * (MESSAGES + VERDICTS)
FLOOR = CALLS / PER_SECOND
IN_FLIGHT = 200


class Counter(Protocol):
    """How a server counts. `wait` accepts a request (0) or returns in how many seconds it could be accepted."""

    def wait(self, now: float) -> float: ...


class FixedWindow:
    """So many requests in each second of the clock."""

    def __init__(self) -> None:
        self._window, self._taken = -1, 0

    def wait(self, now: float) -> float:
        if math.floor(now) != self._window:
            self._window, self._taken = math.floor(now), 0
        if self._taken == PER_SECOND:
            return self._window + 1 - now
        self._taken += 1
        return 0.0


class SlidingWindow:
    """So many requests in any second."""

    def __init__(self) -> None:
        self._taken: deque[float] = deque()

    def wait(self, now: float) -> float:
        while self._taken and self._taken[0] <= now - 1:
            self._taken.popleft()
        if len(self._taken) == PER_SECOND:
            return self._taken[0] + 1 - now
        self._taken.append(now)
        return 0.0


class TokenBucket:
    """A bucket of ten that is refilled at that rate."""

    SIZE = 10

    def __init__(self) -> None:
        self._level, self._at = float(self.SIZE), 0.0

    def wait(self, now: float) -> float:
        self._level, self._at = min(self.SIZE, self._level + (now - self._at) * PER_SECOND), now
        if self._level < 1:
            return (1 - self._level) / PER_SECOND
        self._level -= 1
        return 0.0


COUNTERS: dict[str, type[Counter]] = {"fixed": FixedWindow, "sliding": SlidingWindow, "bucket": TokenBucket}
RETRY_AFTER: dict[str, Callable[[float], str | None]] = {
    "whole": lambda wait: str(math.ceil(wait)), "exact": lambda wait: f"{wait:.3f}", "none": lambda _: None,
}  # fmt: skip
"""HTTP has whole seconds; some servers send fractions, some send nothing."""


def serve(counter: Counter, retry_after: str) -> None:
    """Prints its port and serves chat completions on loopback until the process is ended."""
    from aiohttp import web

    message = {"role": "assistant", "content": "Salve"}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    completion = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    tally = {"taken": 0, "refused": 0}

    async def complete(request: web.Request) -> web.Response:
        await request.read()
        if wait := counter.wait(time.monotonic()):
            tally["refused"] += 1
            said = RETRY_AFTER[retry_after](wait)
            return web.json_response({}, status=429, headers={"Retry-After": said} if said else {})
        tally["taken"] += 1
        await asyncio.sleep(LATENCY)
        return web.json_response(completion)

    async def report(_: web.Request) -> web.Response:
        return web.json_response(tally)

    async def main() -> None:
        app = web.Application()
        app.add_routes([web.post("/v1/chat/completions", complete), web.get("/tally", report)])
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
        print(runner.addresses[0][1], flush=True)
        await asyncio.Event().wait()

    asyncio.run(main())


async def run(url: str, limit: ModelLimit) -> tuple[float, int]:
    """Seconds from the first call to the last reply, and how many calls were refused."""
    import aiohttp
    import openai.types.chat  # noqa: F401 - an evaluation imports it too before its first call

    model = OpenAiModel(ModelServer(f"{url}/v1"), Limits(judge=limit), {})

    async def ask(*words: str) -> str:
        messages = tuple({"role": "user", "content": said} for said in words)
        return (await model.complete(ChatRequest("judge", "m", messages, 0.0))).text

    async def trial() -> None:
        said = ["Ave"]
        for _ in range(MESSAGES):
            said.append(await ask(*said))
        await asyncio.gather(*[ask(*said) for _ in range(VERDICTS)])

    start = time.perf_counter()
    await asyncio.gather(*[trial() for _ in range(TRIALS)])
    seconds = time.perf_counter() - start
    async with aiohttp.ClientSession() as session, session.get(f"{url}/tally") as answer:
        tally = await answer.json()
    assert tally["taken"] == CALLS, tally
    return seconds, tally["refused"]


@dataclass(frozen=True)
class Case:
    """A kind of server, and whether its limit is in `stoic.yml`."""

    counter: str
    retry_after: str
    configured: bool

    def row(self, runs: int) -> list[str]:
        """Runs it `runs` times; returns a row of the table."""
        limit = ModelLimit(in_flight=IN_FLIGHT, requests_per_minute=60 * PER_SECOND if self.configured else None)
        done = []
        for _ in range(runs):
            with listening("benchmarks.limits", "--serve", self.counter, self.retry_after) as url:
                done.append(asyncio.run(run(url, limit)))
        seconds, refused = [run[0] for run in done], [run[1] for run in done]
        middle = statistics.median(seconds)
        known = "configured" if self.configured else "found out"
        ratios = f"{min(seconds) / FLOOR:.3f}–{max(seconds) / FLOOR:.3f}"
        figures = (f"{middle:.2f}", ratios, f"**{middle / FLOOR:.3f}**", f"{statistics.median(refused):.0f}")
        return [self.counter, self.retry_after, known, *figures]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=int, nargs="?", default=5)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--serve", nargs=2, metavar=("COUNTER", "RETRY_AFTER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(COUNTERS[options.serve[0]](), options.serve[1])
        return
    promised = [Case("fixed", "whole", configured=True), Case("fixed", "whole", configured=False)]
    every = [Case(counter, wish, known) for counter in COUNTERS for wish in RETRY_AFTER for known in (True, False)]
    cases = promised + [case for case in every if options.all and case not in promised]
    print_table(
        f"{CALLS} calls, {PER_SECOND} a second, {LATENCY} s each, floor {FLOOR:.1f} s; median of {options.runs}",
        ["server counts", "Retry-After", "limit", "seconds", "ratios", "median ratio", "refused"],
        (case.row(options.runs) for case in cases),
    )


if __name__ == "__main__":
    main()
