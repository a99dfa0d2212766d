import asyncio
from base64 import b64encode
from typing import Any

import pytest
from starlette.responses import Response

from stoic_assets.adapters.agents.connect import check_access, connect_agent, header_secrets, reachable
from stoic_assets.adapters.agents.embabel import EmbabelAgent
from stoic_assets.adapters.agents.openai_agent import OpenAiAgent
from stoic_assets.core.configuration.endpoint_limits import AgentLimit
from stoic_assets.core.conversation.agent import AgentFailure
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable, StoicError
from stoic_assets.core.jobs.job_entries import Target
from stoic_assets.core.secrets.redaction import Redactor

LIMIT = AgentLimit(timeout_seconds=5)


def target(**given: Any) -> Target:
    return Target.model_validate({"user": "Alice", "chatbot": "marcus", **given})


def test_the_protocol_chooses_the_adapter_and_where_the_key_goes(service: Any) -> None:
    async def main() -> None:
        env = {"AGENT_API_KEY": "meditations-12\n"}
        embabel = connect_agent(target(), service.url, "m", env, LIMIT)
        openai = connect_agent(target(protocol="openai"), service.url, "m", env, LIMIT)
        assert isinstance(embabel, EmbabelAgent)
        assert isinstance(openai, OpenAiAgent)
        await embabel.open_session("Alice")
        service.replies({"choices": [{"message": {"content": "Salve"}}]})
        await openai.send(await openai.open_session("Alice"), "Alice", "Hello")

    service.replies({"sessionId": "s"})
    asyncio.run(main())
    assert service.seen[0].headers["x-api-key"] == "meditations-12"
    assert "authorization" not in service.seen[0].headers
    assert service.seen[1].headers["authorization"] == "Bearer meditations-12"
    assert "x-api-key" not in service.seen[1].headers


def test_header_values_come_from_the_environment(service: Any) -> None:
    async def main() -> None:
        headers = {"Authorization": "Basic ${STOA_USER}${STOA_WORD}", "X-Plain": "stays"}
        agent = connect_agent(target(headers=headers), service.url, "m", {"STOA_USER": "a", "STOA_WORD": "b"}, LIMIT)
        await agent.open_session("Alice")

    service.replies({"sessionId": "s"})
    asyncio.run(main())
    assert service.seen[0].headers["authorization"] == "Basic ab"
    assert service.seen[0].headers["x-plain"] == "stays"


def test_headers_whose_names_say_so_hold_secrets() -> None:
    headers = {
        "Authorization": "Basic ${STOA_USER}0123", "x-api-key": "tr0ub4dor", "Cookie": "short", "X-Plain": "stays-here",
    }
    found = header_secrets(target(headers=headers), {"STOA_USER": "marcus"})
    assert set(found) == {"Basic marcus0123", "marcus0123", "tr0ub4dor"}


def test_the_parts_of_a_header_are_secrets_too() -> None:
    sent = b64encode(b"marcus:meditations").decode()
    headers = {"Proxy-Authorization": f"Basic {sent}", "Cookie": "theme=dark; session=c0ffee-12 ;id=0123=45678"}
    found = header_secrets(target(headers=headers), {})
    assert {sent, "meditations", "c0ffee-12", "0123=45678"} <= set(found)
    assert "dark" not in found


@pytest.mark.parametrize("protocol", ["embabel", "openai"])
def test_a_quoted_answer_shows_no_part_of_what_a_pattern_matches(service: Any, protocol: str) -> None:
    """What is cut off first matches no more: of a number in groups all but the last would be shown."""
    service.answers = [Response("." * 180 + " 4711 4711 4711 4711 is on file", 500)] * 9
    redactor = Redactor([r"\d{4}( \d{4}){3}"])
    agent = connect_agent(target(protocol=protocol), service.url, "m", {}, LIMIT, redactor)

    async def main() -> None:
        session = "s" if protocol == "embabel" else await agent.open_session("Alice")
        await agent.send(session, "Alice", "Hello")

    with pytest.raises(AgentFailure, match=r"\[redacted") as caught:
        asyncio.run(main())
    assert "4711" not in str(caught.value)


@pytest.mark.parametrize("env", [{}, {"STOA_KEY": ""}])
def test_a_missing_variable_is_named(env: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=r"^target\.headers\.X-Key: set the environment variable STOA_KEY$"):
        connect_agent(target(headers={"X-Key": "${STOA_KEY}"}), "http://localhost", "m", env, LIMIT)


@pytest.mark.parametrize("protocol", ["embabel", "openai"])
def test_a_key_that_cannot_be_sent_is_refused_at_once(protocol: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^AGENT_API_KEY: contains"):
        connect_agent(target(protocol=protocol), "http://localhost", "m", {"AGENT_API_KEY": "meditations\n12"}, LIMIT)


@pytest.mark.parametrize("headers", [{"X-Key": "${STOA_KEY}"}, {"X-Key": "“x”"}, {"bad name": "x"}, {"": "x"}])
def test_what_is_no_header_is_refused_without_its_value(headers: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError) as caught:
        connect_agent(target(headers=headers), "http://localhost", "m", {"STOA_KEY": "secret\r\nX-Evil: 1"}, LIMIT)
    assert "secret" not in str(caught.value)


def test_the_target_may_have_its_own_timeout(service: Any) -> None:
    async def slow(_: Any) -> None:
        await asyncio.sleep(0.5)

    async def main() -> None:
        await connect_agent(target(timeoutSeconds=0.2), service.url, "m", {}, LIMIT).open_session("Alice")

    service.answers = [slow]
    with pytest.raises(AgentFailure, match=r"within 0\.2 s"):
        asyncio.run(main())


def test_a_bad_address_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="the address of the agent"):
        connect_agent(target(), "localhost:8081", "m", {}, LIMIT)


def test_reachable(service: Any, dead_url: str) -> None:
    asyncio.run(reachable(service.url, 2.0))
    assert service.seen == []
    with pytest.raises(ServiceUnreachable, match="--agent-url"):
        asyncio.run(reachable(dead_url, 2.0))


@pytest.mark.parametrize(
    ("protocol", "path"), [("embabel", "/api/v1/chat/sessions"), ("openai", "/v1/chat/completions")]
)
def test_whether_an_agent_lets_us_in_is_found_out_without_a_session_or_a_message(
    service: Any, protocol: str, path: str
) -> None:
    service.replies({}, status=405)
    env = {"AGENT_API_KEY": "meditations-12"}
    asyncio.run(check_access(target(protocol=protocol), service.url, env))
    [call] = service.seen
    assert (call.method, call.path, call.body) == ("GET", path, None)
    assert "meditations-12" in {call.headers.get("x-api-key"), call.headers.get("authorization", "")[7:]}


@pytest.mark.parametrize("status", [200, 400, 403, 404, 429, 500, 503])
def test_what_an_agent_says_to_a_request_that_is_none_tells_nothing(service: Any, status: int) -> None:
    service.replies({}, status=status)
    asyncio.run(check_access(target(), service.url, {}))
    assert len(service.seen) == 1


def test_an_agent_that_no_evaluation_could_speak_to_is_told(service: Any, dead_url: str, silent_url: str) -> None:
    async def fault(url: str = service.url, seconds: float = 5.0, **given: Any) -> str:
        with pytest.raises(StoicError) as found:
            await check_access(target(timeoutSeconds=60, **given), url, {}, seconds)
        return str(found.value)

    service.replies({}, status=401)
    assert "refuses the key (401); check AGENT_API_KEY" in asyncio.run(fault())
    service.replies({}, status=308, location="https://agents.example")
    assert "redirects to https://agents.example; check its address" in asyncio.run(fault())
    service.answers = [lambda _: asyncio.sleep(1, Response())]
    assert "gave no answer within 0.2 s" in asyncio.run(fault(seconds=0.2))
    assert "speaks no TLS (is it http://?)" in asyncio.run(fault(service.url.replace("http:", "https:")))
    assert "Server disconnected (is it https://?); check its address" in asyncio.run(fault(silent_url))
    assert "nothing answers at" in asyncio.run(fault(dead_url))
    assert "set the environment variable STOA_KEY" in asyncio.run(fault(headers={"X-Key": "${STOA_KEY}"}))
