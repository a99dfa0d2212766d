"""One request to an agent over HTTP: its answer, or how it failed; and what an agent on chat completions answers."""

import asyncio
from typing import Any

import pytest

from stoic_assets.adapters.agents.http_session import AgentHttp
from stoic_assets.core.configuration.endpoint_limits import AgentLimit
from stoic_assets.core.conversation.agent import AgentFailure

KEY = "meditations-12"
LIMIT = AgentLimit(timeout_seconds=5)


def answer_of(url: str, seconds: float = 5.0, particular: tuple[int, ...] = (), mib: float = 8.0) -> Any:
    async def main() -> Any:
        limit = AgentLimit(timeout_seconds=seconds, largest_reply_mib=mib)
        headers = {"X-API-KEY": KEY, "Authorization": f"Bearer {KEY}9"}
        http = AgentHttp(url, headers, limit, path_advice="look elsewhere")
        return await http.call("PUT", f"{http.url}/x", {"a": 1}, particular)

    return asyncio.run(main())


def failure_of(
    url: str, seconds: float = 5.0, particular: tuple[int, ...] = (), mib: float = 8.0
) -> AgentFailure:
    with pytest.raises(AgentFailure) as caught:
        answer_of(url, seconds, particular, mib)
    return caught.value


def completion(**message: Any) -> dict[str, Any]:
    return {"id": "c", "choices": [{"index": 0, "message": {"role": "assistant", **message}}]}
