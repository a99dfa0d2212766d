"""How many calls a second the model adapter makes on its own: concurrent conversations, call after call.

    python -m benchmarks.throughput.adapter URL CONVERSATIONS CALLS

Prints JSON: calls, wall seconds, CPU seconds of the calls without the imports before them.
"""

import asyncio
import json
import sys
import time

from benchmarks.throughput.workload import AGENT_REPLIES, USER_LINES
from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.models.openai_model import OpenAiModel
from stoic_assets.core.calls.chat import ChatRequest
from stoic_assets.core.configuration.endpoint_limits import Limits

SYSTEM = "You play a person who is talking to an assistant. " * 30


async def press(url: str, conversations: int, calls: int) -> dict[str, float]:
    """Holds so many conversations at the same time, of so many calls each; every call sends the whole talk so far."""
    limits = Limits.model_validate({"evaluator": {"in_flight": conversations}})
    model = OpenAiModel(ModelServer(url), limits, {})

    async def conversation() -> None:
        said = [{"role": "system", "content": SYSTEM}, {"role": "assistant", "content": "Hello"}]
        for number in range(calls):
            said.append({"role": "user", "content": AGENT_REPLIES[number % len(AGENT_REPLIES)]})
            await model.complete(ChatRequest("evaluator", "m", tuple(said), 0.5))
            said.append({"role": "assistant", "content": USER_LINES[number % len(USER_LINES)]})

    _import_client()
    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*[conversation() for _ in range(conversations)])
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {"calls": conversations * calls, "wall": wall, "cpu": cpu}


def _import_client() -> None:
    import openai.types.chat  # noqa: F401


if __name__ == "__main__":
    print(json.dumps(asyncio.run(press(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))))
