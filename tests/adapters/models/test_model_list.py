"""What a model server tells of key and models without a token being paid."""

import asyncio
import gzip
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response

from stoic_assets.adapters.models.model_list import look_up_models
from stoic_assets.core.errors import AttemptFailed, ConfigurationError, StoicError

UNKNOWN = {"error": {"message": "The model 'zeno' does not exist", "code": "model_not_found"}}
NO_PATH = {"error": "Not Found", "path": "/v1/models/zeno"}


def notes(service: Any, url: str = "", seconds: float = 5.0) -> list[str]:
    """Of the server, whose judges are `cleanthes` and `zeno`."""
    names = {"STOIC_EVALUATOR_MODEL": "cleanthes", "STOIC_JUDGE_MODEL": "cleanthes,zeno"}
    env = {"OPENAI_API_KEY": "sk-meditations", "OPENAI_BASE_URL": url or f"{service.url}/v1?v=1", **names}
    return asyncio.run(look_up_models(env, seconds))


def listing(*names: str, of_zeno: Any = None, status: int = 404) -> Any:
    """A server's answers: its list, and what it says of one model."""
    data = JSONResponse({"data": [{"id": name} for name in names]})
    return lambda call: data if call.path.endswith("/models") else JSONResponse(of_zeno, status)


def test_models_that_are_listed_are_asked_for_once_with_the_key(service: Any) -> None:
    service.answers = [listing("zeno", "cleanthes", "chrysippus")]
    assert notes(service) == []
    [call] = service.seen
    assert (call.method, call.path, call.query) == ("GET", "/v1/models", "v=1")
    assert call.headers["authorization"] == "Bearer sk-meditations"


def test_each_server_is_asked_for_its_own_models_alone(service: Any) -> None:
    lists = {"/v1/models": listing("cleanthes"), "/court/models": listing("zeno")}
    service.answers = [lambda call: lists[call.path](call)]
    names = {"STOIC_EVALUATOR_MODEL": "cleanthes", "STOIC_JUDGE_MODEL": "zeno"}
    servers = {"OPENAI_BASE_URL": f"{service.url}/v1", "STOIC_JUDGE_BASE_URL": f"{service.url}/court"}
    assert asyncio.run(look_up_models(names | servers)) == []
    assert sorted(call.path for call in service.seen) == ["/court/models", "/v1/models"]


@pytest.mark.parametrize(
    ("status", "said", "why"),
    [
        (401, {}, r"refuses the key \(401\); check OPENAI_API_KEY"),
        (403, {"error": "go away"}, r"refuses the key \(403\); check OPENAI_API_KEY"),
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
        JSONResponse({"data": "none"}), JSONResponse({"error": "Missing scopes: api.model.read"}, 403),
    ],
)  # fmt: skip
def test_a_server_that_lists_nothing_is_not_at_fault(service: Any, answer: Response) -> None:
    service.answers = [answer]
    assert notes(service) == []


def test_a_list_without_end_is_a_fault_that_names_the_server(service: Any) -> None:
    service.answers = [Response(gzip.compress(b" " * 9 * 1024 * 1024), headers={"content-encoding": "gzip"})]
    with pytest.raises(AttemptFailed, match=f"the model server at {service.url}/v1 sends more than 8 MiB"):
        notes(service)


@pytest.mark.parametrize("said", [UNKNOWN, {"error": {"message": 'model "zeno" not found'}}])
def test_a_model_that_the_server_says_it_does_not_know_is_a_fault(service: Any, said: Any) -> None:
    service.answers = [listing("cleanthes", of_zeno=said)]
    with pytest.raises(ConfigurationError, match="does not know model 'zeno'; check STOIC_EVALUATOR_MODEL"):
        notes(service)
    assert [call.path for call in service.seen] == ["/v1/models", "/v1/models/zeno"]


def test_a_model_that_is_not_listed_may_go_by_another_name_and_is_noted(service: Any) -> None:
    service.answers = [listing("cleanthes", of_zeno=NO_PATH)]
    [note] = notes(service)
    assert "does not list model 'zeno'; if it does not know it by that name, check STOIC_EVALUATOR_MODEL" in note
    service.answers = [listing("cleanthes", of_zeno={"id": "zeno:latest"}, status=200)]
    assert notes(service) == []


def test_what_does_not_answer_in_time_is_noted_and_what_speaks_no_tls_is_a_fault(service: Any) -> None:
    service.answers = [lambda _: asyncio.sleep(1, JSONResponse({}))]
    assert notes(service, seconds=0.1) == [f"the model server at {service.url}/v1 gave no answer in time"]
    with pytest.raises(StoicError, match="cannot be reached") as fault:
        notes(service, url=service.url.replace("http:", "https:"))
    assert isinstance(fault.value, AttemptFailed)


def test_a_certificate_that_is_not_trusted_is_a_fault(
    service: Any, certified: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, certificate = certified
    with pytest.raises(ConfigurationError, match=r"not trusted: .*; .* set SSL_CERT_FILE"):
        notes(service, url=url)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert notes(service, url=url) == []
