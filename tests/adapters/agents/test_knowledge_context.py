import asyncio
from typing import Any

import pytest
from starlette.responses import PlainTextResponse, Response

from stoic_assets.adapters.agents.knowledge_context import check_knowledge_service, create_knowledge_context
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable, StoicError


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


@pytest.mark.parametrize("status", [200, 403, 404, 405, 500])
def test_whether_a_service_lets_us_in_is_found_out_without_a_context(service: Any, status: int) -> None:
    service.replies({}, status=status)
    asyncio.run(check_knowledge_service(service.url, "meditations-12"))
    [call] = service.seen
    assert (call.method, call.path, call.headers["x-api-key"]) == ("GET", "/api/v1/graphs", "meditations-12")


def test_a_service_that_would_create_no_context_is_told(service: Any, dead_url: str) -> None:
    def fault(url: str) -> str:
        with pytest.raises(StoicError) as found:
            asyncio.run(check_knowledge_service(url, None, seconds=0.2))
        return str(found.value)

    service.replies({}, status=401)
    assert fault(service.url).endswith("refuses the key (401); check AGENT_API_KEY")
    service.replies({}, status=308, location="https://graphs.example")
    assert "redirects to https://graphs.example; check BOOGIE_URL, or unset it" in fault(service.url)
    service.answers = [lambda _: asyncio.sleep(1, Response())]
    assert "gave no answer within 0.2 s" in fault(service.url)
    assert fault(dead_url).startswith("BOOGIE_URL: nothing answers at ")
