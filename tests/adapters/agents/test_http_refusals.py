"""Whose fault the status of an agent's answer is, and whether the same request may be tried again."""

import asyncio
from typing import Any

import pytest
from agent_calls import KEY, LIMIT, answer_of, failure_of
from starlette.responses import RedirectResponse, Response

from stoic_assets.adapters.agents.embabel import IN_SESSION
from stoic_assets.adapters.agents.http_session import AgentHttp
from stoic_assets.core.conversation.agent import AgentFailure
from stoic_assets.core.errors import ConfigurationError


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_refused_key_is_a_configuration_error_that_names_its_variable(service: Any, status: int) -> None:
    service.replies({"error": f"bad key {KEY}"}, status=status)
    with pytest.raises(ConfigurationError, match="AGENT_API_KEY") as caught:
        answer_of(service.url)
    assert KEY not in str(caught.value)


CSRF = "<!DOCTYPE html><html><head><title>403 Forbidden</title><style>h1 {}</style></head><body><p>CSRF failed.</p>"
OVER = b'{"error": "invalid_token", "error_description": "The token is over"}'


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (403, CSRF.encode(), "(403): Forbidden CSRF failed.; check"),
        (403, b'{"message": "Missing Authentication Token"}', "(403): Missing Authentication Token; check"),
        (401, OVER, "(401): The token is over; check"),
        (401, b"", "(401); check"),
    ],
)
def test_what_is_said_of_a_refused_key_is_told_since_it_may_be_about_something_else(
    service: Any, status: int, body: bytes, said: str
) -> None:
    service.answers = [Response(body, status)]
    with pytest.raises(ConfigurationError) as caught:
        answer_of(service.url)
    assert f"refuses the key {said} AGENT_API_KEY" in str(caught.value)


def test_a_gateway_without_a_list_of_keys_refuses_one_as_a_bad_request(service: Any) -> None:
    service.replies({"error": {"message": "No connected db.", "type": "no_db_connection"}}, status=400)
    with pytest.raises(ConfigurationError, match=r"refuses the key \(400\): No connected db\.; check AGENT_API_KEY"):
        answer_of(service.url, particular=IN_SESSION)


@pytest.mark.parametrize(
    "said",
    [
        {"message": "The tool says no_db_connection.", "type": "invalid_request"}, "no_db_connection", None,
        {"type": ["no_db_connection"]},
    ],
)  # fmt: skip
def test_a_bad_request_that_only_speaks_of_a_missing_list_of_keys_is_no_refused_key(service: Any, said: Any) -> None:
    service.replies({"error": said, "hint": "no_db_connection"}, status=400)
    assert failure_of(service.url, particular=IN_SESSION).final


@pytest.mark.parametrize(
    "body", [b"no_db_connection", b'["no_db_connection"]', b"[" * 400 + b"]" * 400, b"[" + b"{}," * 10**5 + b"{}]"],
    ids=["words", "list", "deep", "long"],
)  # fmt: skip
def test_a_bad_request_in_any_other_form_is_no_refused_key(service: Any, body: bytes) -> None:
    service.answers = [Response(body, 400)]
    assert failure_of(service.url, particular=IN_SESSION).final


def test_a_forbidden_request_that_has_no_like_is_no_bad_key_yet(service: Any) -> None:
    async def main() -> None:
        http = AgentHttp(service.url, {"X-API-KEY": KEY}, LIMIT, path_advice="")
        with pytest.raises(AgentFailure, match="answered 403: content policy") as caught:
            await http.call("PUT", http.url, particular=IN_SESSION)
        assert (caught.value.final, caught.value.turned_away) == (True, True)
        with pytest.raises(ConfigurationError, match="refuses the key"):
            await http.call("PUT", http.url, particular=IN_SESSION)

    service.answers = [Response("content policy", 403), Response("expired", 401)]
    asyncio.run(main())


@pytest.mark.parametrize(
    ("status", "turned_away"),
    [(500, False), (502, True), (503, True), (504, False), (429, True), (521, True), (529, True),
     (511, True), (525, True), (526, True), (527, True)],
)
def test_what_a_gateway_says_is_told_from_what_a_service_says(service: Any, status: int, turned_away: bool) -> None:
    service.replies({}, status=status)
    assert failure_of(service.url).turned_away is turned_away


@pytest.mark.parametrize(
    ("status", "said"), [(401, "refuses the key"), (429, r"is busy \(429\)"), (503, "answered 503")]
)
def test_a_status_counts_even_if_what_comes_with_it_cannot_be_read(service: Any, status: int, said: str) -> None:
    service.answers = [Response(b"no gzip at all", status, {"Content-Encoding": "gzip"})]
    with pytest.raises((ConfigurationError, AgentFailure), match=said):
        answer_of(service.url, particular=IN_SESSION)


@pytest.mark.parametrize("status", [402, 429, 529])
def test_busy_is_a_wait_of_the_length_that_the_agent_asks_for(service: Any, status: int) -> None:
    service.replies({}, status=status, Retry_After="7")
    failure = failure_of(service.url)
    assert str(failure).endswith(f"is busy ({status})")
    assert (failure.busy, failure.final, failure.retry_after) == (True, False, 7.0)


@pytest.mark.parametrize(
    ("status", "final"),
    [(status, False) for status in (408, 409, 423, 425, 500, 502, 503, 504)] + [(400, True), (404, True), (422, True)],
)
def test_server_faults_may_be_tried_again_and_refusals_not(service: Any, status: int, final: bool) -> None:
    service.replies({"error": "why"}, status=status)
    failure = failure_of(service.url, particular=IN_SESSION)
    assert (failure.final, failure.busy, failure.late) == (final, False, status in (408, 504))
    assert str(failure) == f'the agent at {service.url} answered {status}: {{"error":"why"}}'


def test_a_wrong_path_is_shown_without_its_query(service: Any) -> None:
    service.replies({}, status=404)
    failure = failure_of(f"{service.url}/agents/marcsu/?key=abc")
    shown, asked = f"{service.url}/agents/marcsu", "PUT /agents/marcsu/"
    assert str(failure) == f"the agent at {shown} answered 404 to {asked}: {{}}; look elsewhere"


@pytest.mark.parametrize(
    ("said", "told"),
    [("404: Not Found", ": Not Found"), ("404 page not found", ": page not found"), ("404", ""), ("4040", ": 4040")],
)
def test_a_status_that_the_words_repeat_is_told_once(service: Any, said: str, told: str) -> None:
    service.answers = [Response(said, 404)]
    assert str(failure_of(service.url, particular=IN_SESSION)) == f"the agent at {service.url} answered 404{told}"


ELSEWHERE = RedirectResponse("/login", 302)


@pytest.mark.parametrize("answer", [Response("<html>", 200), Response("{}", 404), Response("{}", 405), ELSEWHERE])
def test_where_another_service_listens_the_address_is_to_be_corrected_and_nothing_continued(
    service: Any, answer: Response
) -> None:
    service.answers = [answer, answer]
    failure = failure_of(service.url)
    assert str(failure).endswith("; look elsewhere")
    assert (failure.says_how_to_go_on, failure.turned_away) == (True, True)
    within = failure_of(service.url, particular=IN_SESSION)
    assert "look elsewhere" not in str(within)
    assert (within.says_how_to_go_on, within.turned_away) == (False, False)


def test_no_key_and_no_control_character_gets_into_a_message(service: Any) -> None:
    service.answers = [Response(f"X-API-KEY {KEY}\x1b[2J and {KEY}9 refused", 400)]
    message = str(failure_of(service.url))
    assert "X-API-KEY [redacted] [2J and [redacted] refused" in message
    assert message.isprintable()


def test_the_word_before_a_key_is_no_secret(service: Any) -> None:
    service.answers = [Response(f"Bearer authentication is down, {KEY}9", 500)]
    assert str(failure_of(service.url)).endswith("answered 500: Bearer authentication is down, [redacted]")


SIGN_IN = "\n<!doctype html><p>Anmelden für Sie"
PAGES = [SIGN_IN.encode(form) for form in ("utf-8", "utf-8-sig", "utf-16", "latin-1")]
NOT_HERE = [Response("", 404), Response("", 405), *map(Response, PAGES)]


@pytest.mark.parametrize("answer", NOT_HERE)
def test_what_everybody_gets_at_a_wrong_address_is_no_fault_of_one_request(service: Any, answer: Response) -> None:
    service.answers = [answer]
    assert failure_of(service.url).turned_away
    assert not failure_of(service.url, particular=IN_SESSION).turned_away
