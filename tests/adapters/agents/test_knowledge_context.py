import asyncio
from typing import Any

import pytest
from starlette.responses import PlainTextResponse

from stoic_assets.adapters.agents.knowledge_context import create_knowledge_context
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable


def test_the_context_on_the_wire_and_its_plain_answer(service: Any) -> None:
    service.answers = [PlainTextResponse("created")]
    asyncio.run(create_knowledge_context(service.url + "/", "marcus-1", "what it learnt", "meditations-12"))
    seen = service.seen[0]
    assert (seen.method, seen.path) == ("PUT", "/api/v1/graphs")
    assert seen.body == {
        "name": "marcus-1", "description": "what it learnt", "schemaName": "personal", "id": "marcus-1"
    }
    assert seen.headers["x-api-key"] == "meditations-12"


def test_a_service_that_is_away_is_named_by_its_variable(dead_url: str, service: Any) -> None:
    with pytest.raises(ServiceUnreachable, match="BOOGIE_URL"):
        asyncio.run(create_knowledge_context(dead_url, "n", "d"))
    service.replies({}, status=500)
    with pytest.raises(ServiceUnreachable, match=r"answered 500.*BOOGIE_URL"):
        asyncio.run(create_knowledge_context(service.url, "n", "d"))


def test_a_context_that_exists_is_as_good_as_a_new_one(service: Any) -> None:
    service.replies({"error": "exists"}, status=409)
    asyncio.run(create_knowledge_context(service.url, "marcus-1", "d"))
    assert len(service.seen) == 1


def test_a_refused_key(service: Any) -> None:
    service.replies({}, status=401)
    with pytest.raises(ConfigurationError, match=r"^the knowledge service at .* \(401\); check AGENT_API_KEY$"):
        asyncio.run(create_knowledge_context(service.url, "n", "d"))
