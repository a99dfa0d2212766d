"""What a model server tells of key and models without a token being paid."""

import asyncio
import gzip
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response

from stoic_assets.adapters.models import model_list
from stoic_assets.adapters.models.model_list import look_up_models, require_access
from stoic_assets.core.configuration.service_address import is_loopback
from stoic_assets.core.errors import AttemptFailed, ConfigurationError

UNKNOWN = {"error": {"message": "The model 'zeno' does not exist", "code": "model_not_found"}}
ASKED = "/chat/completions"
NO_PATH = {"error": "Not Found", "path": "/v1/models/zeno"}


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers are treated as those of other machines are."""
    monkeypatch.setattr(model_list, "is_loopback", lambda host: False)


def notes(service: Any, url: str = "", seconds: float = 5.0) -> list[str]:
    """Of the server, whose judges are `cleanthes` and `zeno`."""
    names = {"STOIC_EVALUATOR_MODEL": "cleanthes", "STOIC_JUDGE_MODEL": "cleanthes,zeno"}
    env = {"OPENAI_API_KEY": "sk-meditations", "OPENAI_BASE_URL": url or f"{service.url}/v1?v=1", **names}
    return asyncio.run(look_up_models(env, seconds))


def looked_at(service: Any) -> list[str]:
    """What was asked for beside what tries the key."""
    return [call.path for call in service.seen if not call.path.endswith(ASKED)]


def listing(*names: str, of_zeno: Any = None, status: int = 404) -> Any:
    """A server's answers: its list, and what it says of one model."""
    data, wordless = JSONResponse({"data": [{"id": name} for name in names]}), JSONResponse("no messages", 400)
    answers = {"models": data, "completions": wordless}
    return lambda call: answers.get(call.path.rsplit("/", 1)[-1]) or JSONResponse(of_zeno, status)


def test_models_that_are_listed_are_looked_up_once_with_the_key(service: Any) -> None:
    service.answers = [listing("zeno", "cleanthes", "chrysippus")]
    assert notes(service) == []
    tried, looked = service.seen
    assert (tried.method, tried.path, tried.query, tried.body) == ("POST", "/v1/chat/completions", "v=1", {})
    assert (looked.method, looked.path, looked.query) == ("GET", "/v1/models", "v=1")
    assert {call.headers["authorization"] for call in service.seen} == {"Bearer sk-meditations"}


def test_no_key_that_was_sent_is_quoted(service: Any) -> None:
    sent = {"OPENAI_API_KEY": "sk-meditations", "OPENAI_CUSTOM_HEADERS": "api-key: azure-very-secret-77"}
    said = {"error": {"message": "neither sk-meditations nor azure-very-secret-77 is known"}}
    service.answers = [JSONResponse(said, 401)]
    with pytest.raises(ConfigurationError, match=r"neither \[redacted\] nor \[redacted\] is known"):
        asyncio.run(require_access(sent | {"OPENAI_BASE_URL": f"{service.url}/v1"}))


def test_each_server_is_asked_for_its_own_models_alone(service: Any) -> None:
    lists = {"/v1": listing("cleanthes"), "/court": listing("zeno")}
    service.answers = [lambda call: lists[call.path.removesuffix(ASKED).removesuffix("/models")](call)]
    names = {"STOIC_EVALUATOR_MODEL": "cleanthes", "STOIC_JUDGE_MODEL": "zeno"}
    servers = {"OPENAI_BASE_URL": f"{service.url}/v1", "STOIC_JUDGE_BASE_URL": f"{service.url}/court"}
    assert asyncio.run(look_up_models(names | servers)) == []
    assert sorted(looked_at(service)) == ["/court/models", "/v1/models"]


@pytest.mark.parametrize(
    ("status", "said", "why"),
    [
        (401, {}, r"refuses the key \(401\); check OPENAI_API_KEY"),
        (400, {"error": {"type": "no_db_connection"}}, r"refuses the key: .*no_db_connection.*; check OPENAI_API_KEY"),
        (403, {"error": "No such country"}, "refuses the key: Error code: 403 - No such country; check OPENAI_API_KEY"),
        (400, [{"error": {"message": "API key not valid."}}], "refuses the key: .* API key not valid.; check OPENAI_"),
        (400, {"error": "Incorrect API key provided: xa***90"}, "refuses the key: .*; check OPENAI_API_KEY"),
        (400, {"error": {"message": "Your credit balance is too low"}}, "no credit left: .* too low; check its bill"),
        (402, {"detail": "Payment required"}, "no credit left: .* Payment required; check its billing"),
        (407, {}, r"the proxy before the model server at .* refuses requests \(407\); check"),
        (307, {}, r"redirects to https://zeno\.example/v1 \(307\); set OPENAI_BASE_URL"),
    ],
)
def test_a_key_that_is_refused_and_a_redirect_are_faults(service: Any, status: int, said: Any, why: str) -> None:
    service.replies(said, status=status, location="https://zeno.example/v1")
    with pytest.raises(ConfigurationError, match=why):
        notes(service)


@pytest.mark.parametrize(
    "answer",
    [
        JSONResponse({}, 404), JSONResponse({}, 405), JSONResponse({}, 503), Response("<p>no JSON"), JSONResponse([]),
        JSONResponse({"data": "none"}),
    ],
)  # fmt: skip
def test_a_server_that_lists_nothing_is_not_at_fault(service: Any, answer: Response) -> None:
    service.answers = [answer]
    assert notes(service) == []


@pytest.mark.parametrize(
    ("tried", "looked"),
    [
        (JSONResponse("no messages", 400), JSONResponse("Missing scopes", 401)),
        (JSONResponse({"error": {"message": "no_db_connection?"}}, 400), JSONResponse({"data": []})),
        (JSONResponse("no messages", 422), Response("", 307)),
        (JSONResponse("no such model", 403), JSONResponse({"data": []})),
        (JSONResponse("busy", 402, {"Retry-After": "1"}), JSONResponse({"data": []})),
    ],
)
def test_who_may_ask_is_not_turned_away(service: Any, tried: Response, looked: Response) -> None:
    service.answers = [tried, looked]
    assert notes(service) == []


def test_an_error_in_place_of_the_list_is_noted_with_its_words(service: Any) -> None:
    said = "Unexpected endpoint or method. (GET /models)"
    service.replies({"error": said})
    [note] = notes(service)
    assert f"{service.url}/v1 lists no models - {said}; check OPENAI_BASE_URL (it usually ends in /v1)" in note


KEYS = {"OPENAI_API_KEY": "sk-user", "STOIC_JUDGE_API_KEY": "sk-judge"}
Servers = Callable[[str], dict[str, str]]


@pytest.mark.parametrize(
    "servers",
    [
        lambda url: {"OPENAI_BASE_URL": f"{url}/v1", "STOIC_JUDGE_BASE_URL": f"{url}/court"},
        lambda url: {"OPENAI_BASE_URL": f"{url}/v1"},
    ],
)
def test_the_judges_key_is_tried_beside_the_other_and_named(service: Any, servers: Servers) -> None:
    async def answer(call: Any) -> Response:
        await asyncio.wait_for(both.wait(), 5)
        return JSONResponse({}, 401 if call.headers["authorization"] == "Bearer sk-judge" else 200)

    def answered(call: Any) -> Any:
        if len({call.headers["authorization"] for call in service.seen}) == 2:
            both.set()
        return answer(call)

    both = asyncio.Event()
    service.answers = [answered]
    with pytest.raises(ConfigurationError, match=r"refuses the key \(401\); check STOIC_JUDGE_API_KEY$"):
        asyncio.run(require_access(KEYS | servers(service.url)))


@pytest.mark.parametrize("own", [{}, {"STOIC_JUDGE_BASE_URL": "/v1", "STOIC_JUDGE_API_KEY": "sk-user"}])
def test_a_server_of_both_is_asked_once(service: Any, own: dict[str, str]) -> None:
    own = {name: f"{service.url}{value}" if name.endswith("URL") else value for name, value in own.items()}
    asyncio.run(require_access({"OPENAI_BASE_URL": f"{service.url}/v1", "OPENAI_API_KEY": "sk-user", **own}))
    assert [call.path for call in service.seen] == ["/v1/chat/completions"]


def test_a_server_that_does_not_answer_yet_and_a_stand_in_are_let_be(service: Any) -> None:
    service.answers = [lambda _: asyncio.sleep(1, JSONResponse({}, 401))]
    asyncio.run(require_access({"OPENAI_BASE_URL": service.url}, seconds=0.1))
    assert len(service.seen) == 1
    asyncio.run(require_access({"OPENAI_BASE_URL": service.url, "STOIC_LLM": "offline"}))
    assert len(service.seen) == 1


def test_a_server_on_this_machine_gets_no_request_without_messages_unless_it_refuses_its_list(
    service: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scripted double would answer it with the first line of its script."""
    monkeypatch.setattr(model_list, "is_loopback", is_loopback)
    wordless = [JSONResponse({"data": []}), Response("", 404), Response("", 405), Response("", 501)]
    for answer in wordless:
        service.answers = [answer]
        asyncio.run(require_access({"OPENAI_BASE_URL": f"{service.url}/v1"}))
    assert {(call.method, call.path) for call in service.seen} == {("GET", "/v1/models")}
    service.answers = [JSONResponse({}, 401)]
    with pytest.raises(ConfigurationError, match=r"refuses the key \(401\)"):
        asyncio.run(require_access({"OPENAI_BASE_URL": f"{service.url}/v1"}))
    assert service.seen[-1].path == "/v1/chat/completions"


def test_a_list_without_end_is_a_fault_that_names_the_server(service: Any) -> None:
    service.answers = [Response(gzip.compress(b" " * 9 * 1024 * 1024), headers={"content-encoding": "gzip"})]
    with pytest.raises(AttemptFailed, match=f"the model server at {service.url}/v1 sends more than 8 MiB"):
        notes(service)


@pytest.mark.parametrize("said", [UNKNOWN, {"error": {"message": 'model "zeno" not found'}}])
def test_a_model_that_the_server_says_it_does_not_know_is_a_fault(service: Any, said: Any) -> None:
    service.answers = [listing("cleanthes", of_zeno=said)]
    with pytest.raises(ConfigurationError, match="does not know model 'zeno'; check STOIC_EVALUATOR_MODEL"):
        notes(service)
    assert looked_at(service) == ["/v1/models", "/v1/models/zeno"]


def test_a_model_that_is_not_listed_may_go_by_another_name_and_is_noted(service: Any) -> None:
    service.answers = [listing("cleanthes", of_zeno=NO_PATH)]
    [note] = notes(service)
    assert "does not list model 'zeno'; if it does not know it by that name, check STOIC_EVALUATOR_MODEL" in note
    service.answers = [listing("cleanthes", of_zeno={"id": "zeno:latest"}, status=200)]
    assert notes(service) == []


def test_what_does_not_answer_in_time_is_noted_and_what_cannot_be_spoken_to_is_a_fault(
    service: Any, deaf_url: str
) -> None:
    service.answers = [lambda _: asyncio.sleep(1, JSONResponse({}))]
    assert notes(service, seconds=0.2) == [f"the model server at {service.url}/v1 gave no answer in time"]
    with pytest.raises(AttemptFailed, match="cannot be reached: no connection was made in time"):
        notes(service, url=deaf_url, seconds=0.2)
    with pytest.raises(ConfigurationError, match="speaks no TLS"):
        notes(service, url=service.url.replace("http:", "https:"))


def test_a_connection_may_take_as_long_as_those_of_an_evaluation(
    service: Any, deaf_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stoic_assets.core.configuration.endpoint_limits.LONGEST_CONNECT", 0.1)
    start = time.monotonic()
    with pytest.raises(AttemptFailed, match="no connection was made in time"):
        notes(service, url=deaf_url, seconds=3.0)
    assert time.monotonic() - start < 1.0, "not 1.5 s"


def test_a_certificate_that_is_not_trusted_is_a_fault(
    service: Any, certified: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, certificate = certified
    with pytest.raises(ConfigurationError, match=r"not trusted: .*; .* SSL_CERT_FILE"):
        notes(service, url=url)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert notes(service, url=url) == []


def test_an_answer_that_cannot_be_unpacked_is_no_crash(service: Any) -> None:
    service.answers = [Response(b"{}" * 50, headers={"content-encoding": "gzip"})]
    with pytest.raises(AttemptFailed, match=r"its reply cannot be read: .*decode content-encoding: gzip"):
        notes(service)
    asyncio.run(require_access({"OPENAI_BASE_URL": service.url}))


def test_a_proxy_that_refuses_us_is_foreseen(refusing_proxy: str) -> None:
    with pytest.raises(ConfigurationError, match=r"the proxy before .* \(407\)") as caught:
        asyncio.run(require_access({"OPENAI_BASE_URL": "https://models.example/v1"}))
    assert refusing_proxy not in str(caught.value)
