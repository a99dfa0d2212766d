"""The floor: the calls of a workload by a plain aiohttp client. No prompts, no parsing, nothing stored.

    python -m benchmarks.throughput.bare_client JSON

JSON contains `agent` and `model` (addresses), `workload` (its fields) and `bytes` (of a request, by kind of call).
Prints JSON: the seconds from the first call to the last reply, and the CPU seconds of the client at work.
"""

import asyncio
import json
import sys
import time
from collections.abc import Mapping
from typing import Any

import aiohttp

from benchmarks.throughput.workload import JUDGE_CALLS, USER_LINES, Workload

SCHEMA = {"type": "object", "properties": {"score": {"type": "number"}}}
JUDGE = {"response_format": {"type": "json_schema", "json_schema": {"name": "mark", "schema": SCHEMA}}}


class BareClient:
    """Makes the calls of every trial, with bodies as long as the real ones."""

    def __init__(
        self, session: aiohttp.ClientSession, agent: str, model: str, workload: Workload, sizes: Mapping[str, int]
    ) -> None:
        self._session, self._agent, self._model, self._workload = session, f"{agent}/api/v1/chat", model, workload
        self._sizes = sizes
        self._judges = asyncio.Semaphore(workload.judges_at_once)

    async def work(self) -> None:
        """All conversations, then all judgements, in the order of an evaluation."""
        places = asyncio.Semaphore(self._workload.at_once)
        trials = range(self._workload.trials)
        await asyncio.gather(*[self._conversation(places) for _ in trials])
        await asyncio.gather(*[self._judgement() for _ in trials for _ in range(JUDGE_CALLS)])

    async def _conversation(self, places: asyncio.Semaphore) -> None:
        async with places:
            session = (await self._call("PUT", f"{self._agent}/sessions", {"user": "ada"}))["sessionId"]
            said = [{"role": "assistant", "content": "Hello"}]
            for _ in range(len(USER_LINES) + 1):
                message = {"sessionId": session, "message": said[-1], "model": "m"}
                reply = (await self._call("PUT", f"{self._agent}/messages", message))["message"]["content"]
                said.append({"role": "user", "content": reply})
                said.append({"role": "assistant", "content": await self._ask("evaluator", said, {})})
            await self._call("GET", f"{self._agent}/objectContexts/{session}")

    async def _judgement(self) -> None:
        async with self._judges:
            await self._ask("judge", [{"role": "user", "content": ""}], JUDGE)

    async def _ask(self, kind: str, messages: list[dict[str, str]], more: dict[str, Any]) -> str:
        length = sum(len(message["content"]) for message in messages)
        system = {"role": "system", "content": "x" * max(0, self._sizes.get(kind, 0) - length)}
        body = {"model": "m", "messages": [system, *messages], **more}
        completion = await self._call("POST", f"{self._model}/v1/chat/completions", body)
        return str(completion["choices"][0]["message"]["content"])

    async def _call(self, method: str, url: str, body: Any = None) -> Any:
        async with self._session.request(method, url, json=body) as response:
            return await response.json()


async def measure(agent: str, model: str, workload: Workload, sizes: Mapping[str, int]) -> dict[str, float]:
    """Seconds of wall and of CPU for the whole workload."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        client = BareClient(session, agent, model, workload, sizes)
        wall, cpu = time.perf_counter(), time.process_time()
        await client.work()
        return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    workload = Workload(**asked["workload"])
    print(json.dumps(asyncio.run(measure(asked["agent"], asked["model"], workload, asked["bytes"]))))
