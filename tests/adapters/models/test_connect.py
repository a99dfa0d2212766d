import asyncio
from typing import Any

import pytest

from stoic_assets.adapters.models.connect import (
    connect_model,
    evaluator_model,
    judge_panel,
    reachable_model,
    uses_stand_in,
)
from stoic_assets.adapters.models.model_list import require_access
from stoic_assets.adapters.models.openai_model import OpenAiModel
from stoic_assets.adapters.models.stand_in import StandIn
from stoic_assets.core.calls.chat import ChatRequest, ModelFailure
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable

KEY = {"OPENAI_API_KEY": "sk-meditations"}


@pytest.mark.parametrize(
    ("env", "offline"),
    [
        ({}, True), ({"OPENAI_API_KEY": " "}, True), (KEY, False),
        ({"OPENAI_BASE_URL": "http://localhost:1/v1"}, False),
        ({**KEY, "STOIC_LLM": "offline"}, True), ({**KEY, "STOIC_LLM": "openai"}, False),
    ],
)
def test_who_plays_evaluator_and_judge(env: dict[str, str], offline: bool) -> None:
    assert uses_stand_in(env) is offline
    assert isinstance(connect_model(env, Settings()), StandIn if offline else OpenAiModel)


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="STOIC_LLM=other is unknown; use openai or offline"):
        connect_model({"STOIC_LLM": "other"}, Settings())


@pytest.mark.parametrize(
    "env",
    [
        {"STOIC_LLM": "openai"}, {"STOIC_JUDGE_BASE_URL": "http://localhost:1/v1"}, {"STOIC_JUDGE_API_KEY": "sk-judge"},
    ],
)  # fmt: skip
def test_the_simulated_user_needs_a_key_or_a_server(env: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="the simulated user: set OPENAI_API_KEY, or OPENAI_BASE_URL"):
        connect_model(env, Settings())


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "STOIC_JUDGE_API_KEY"])
def test_a_key_that_cannot_be_sent_is_refused_at_once(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^{name}: contains") as caught:
        connect_model({**KEY, name: "sk-“treehorn”"}, Settings())
    assert "treehorn" not in str(caught.value)


@pytest.mark.parametrize("name", ["OPENAI_BASE_URL", "STOIC_JUDGE_BASE_URL"])
def test_a_bad_address_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^{name}"):
        connect_model({**KEY, name: "localhost:8000"}, Settings())


@pytest.mark.parametrize(
    ("env", "evaluator", "panel"),
    [
        ({}, "offline", ("offline",)),
        (KEY, "gpt-4.1-mini", ("gpt-4.1-mini",)),
        ({**KEY, "STOIC_EVALUATOR_MODEL": "zeno", "STOIC_JUDGE_MODEL": "a, b,,a"}, "zeno", ("a", "b")),
        ({**KEY, "STOIC_EVALUATOR_MODEL": "zeno", "STOIC_LLM": "offline"}, "offline", ("offline",)),
    ],
)
def test_the_names_of_the_models(env: dict[str, str], evaluator: str, panel: tuple[str, ...]) -> None:
    assert evaluator_model(env) == evaluator
    assert judge_panel(env) == panel


def test_the_connected_model_answers(service: Any) -> None:
    service.replies({"choices": [{"message": {"content": "Salve"}}]})
    model = connect_model({"OPENAI_BASE_URL": f" {service.url}/v1/ "}, Settings())
    reply = asyncio.run(model.complete(ChatRequest("judge", "m", ({"role": "user", "content": "?"},), 0.0)))
    assert reply.text == "Salve"
    assert service.seen[0].path == "/v1/chat/completions"


@pytest.mark.parametrize("own", [{}, {"STOIC_JUDGE_API_KEY": "sk-judge"}])
def test_the_settings_of_each_role_and_the_prices_reach_its_model(service: Any, own: dict[str, str]) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 100}
    service.replies({"choices": [{"message": {"content": "Salve"}}], "usage": usage})
    given = {
        "conversations": {"model_options": {"m": {"seed": 1}}}, "judging": {"model_options": {"m": {"seed": 2}}},
        "prices": {"m": {"input": 2, "output": 8}},
    }
    model = connect_model({**KEY, "OPENAI_BASE_URL": service.url, **own}, Settings.model_validate(given))

    async def ask() -> list[float | None]:
        said = [ChatRequest(role, "m", ({"role": "user", "content": "?"},), 0.0) for role in ("evaluator", "judge")]
        return [(await model.complete(request)).cost_usd for request in said]

    assert asyncio.run(ask()) == pytest.approx([0.0028] * 2)
    assert [call.body["seed"] for call in service.seen] == [1, 2]


@pytest.mark.parametrize(
    ("own", "path", "key"),
    [
        ({}, "/v1", "sk-user"),
        ({"STOIC_JUDGE_API_KEY": "sk-judge"}, "/v1", "sk-judge"),
        ({"STOIC_JUDGE_BASE_URL": "/court/v1", "STOIC_JUDGE_API_KEY": "sk-judge"}, "/court/v1", "sk-judge"),
        ({"STOIC_JUDGE_BASE_URL": "/court/v1"}, "/court/v1", "none"),
    ],
)
def test_judges_may_be_served_elsewhere_and_no_key_goes_to_another_server(
    service: Any, own: dict[str, str], path: str, key: str
) -> None:
    service.replies({"choices": [{"message": {"content": "Salve"}}]})
    env = {"OPENAI_API_KEY": "sk-user", "OPENAI_BASE_URL": f"{service.url}/v1"}
    env |= {name: f"{service.url}{value}" if name.endswith("URL") else value for name, value in own.items()}

    async def ask() -> None:
        model = connect_model(env, Settings())
        for role in ("evaluator", "judge"):
            await model.complete(ChatRequest(role, "m", ({"role": "user", "content": "?"},), 0.0))

    asyncio.run(ask())
    asked = [(call.path, call.headers["authorization"]) for call in service.seen]
    assert asked == [("/v1/chat/completions", "Bearer sk-user"), (f"{path}/chat/completions", f"Bearer {key}")]


ACCOUNT = {
    "OPENAI_ORG_ID": "org-stoa", "OPENAI_PROJECT_ID": "proj-porch",
    "OPENAI_CUSTOM_HEADERS": "X-Gate-Secret: sesame-1\nAuthorization: Bearer gate",
}


@pytest.mark.parametrize("own", [{}, {"STOIC_JUDGE_API_KEY": "sk-judge"}, {"STOIC_JUDGE_BASE_URL": "/court/v1"}])
@pytest.mark.parametrize("source", ["environment", "file"])
def test_the_headers_of_an_account_go_to_its_server_alone(
    service: Any, monkeypatch: pytest.MonkeyPatch, source: str, own: dict[str, str]
) -> None:
    """The openai package reads these from the environment for every server; a file `.env` of the project counts too."""
    service.replies({"choices": [{"message": {"content": "Salve"}}]})
    env = {"OPENAI_API_KEY": "sk-user", "OPENAI_BASE_URL": f"{service.url}/v1", **ACCOUNT}
    env |= {name: f"{service.url}{value}" if name.endswith("URL") else value for name, value in own.items()}
    if source == "environment":
        for name, value in env.items():
            monkeypatch.setenv(name, value)

    async def ask() -> None:
        await require_access(env)
        model = connect_model(env, Settings())
        for role in ("evaluator", "judge"):
            await model.complete(ChatRequest(role, "m", ({"role": "user", "content": "?"},), 0.0))

    asyncio.run(ask())
    *checks, user, judge = (
        tuple(call.headers.get(name) for name in ("openai-organization", "openai-project", "x-gate-secret"))
        for call in service.seen
    )
    account, none = ("org-stoa", "proj-porch", "sesame-1"), (None, None, None)
    assert (user, judge) == (account, none if own else account)
    assert set(checks) == {user, judge}
    of_user, of_judge = (call.headers["authorization"] for call in service.seen[-2:])
    assert of_user == "Bearer gate"
    assert (of_judge == "Bearer gate") == (not own)


def test_a_quoted_answer_shows_no_part_of_what_a_pattern_matches(service: Any) -> None:
    service.replies({"error": {"message": "." * 170 + " 4711 4711 4711 4711 is on file"}}, status=400)
    settings = Settings(redact=(r"\d{4}( \d{4}){3}",))
    model = connect_model({**KEY, "OPENAI_BASE_URL": service.url}, settings)
    with pytest.raises(ModelFailure, match=r"\[redacted") as caught:
        asyncio.run(model.complete(ChatRequest("judge", "m", ({"role": "user", "content": "?"},), 0.0)))
    assert "4711" not in str(caught.value)


def test_a_header_that_cannot_be_sent_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"^OPENAI_CUSTOM_HEADERS: X Gate: not a valid HTTP header$"):
        connect_model({**KEY, "OPENAI_CUSTOM_HEADERS": "X Gate: 1"}, Settings())


def test_a_refused_key_of_the_judges_is_named_as_theirs(service: Any) -> None:
    service.replies({}, status=401)
    model = connect_model({**KEY, "STOIC_JUDGE_BASE_URL": f"{service.url}/v1"}, Settings())
    with pytest.raises(ConfigurationError, match=r"refuses the key \(401\); check STOIC_JUDGE_API_KEY$"):
        asyncio.run(model.complete(ChatRequest("judge", "m", ({"role": "user", "content": "?"},), 0.0)))


def test_reachable(service: Any, dead_url: str) -> None:
    asyncio.run(reachable_model({}))
    asyncio.run(reachable_model({"OPENAI_BASE_URL": service.url}))
    with pytest.raises(ServiceUnreachable, match="STOIC_LLM=offline"):
        asyncio.run(reachable_model({"OPENAI_BASE_URL": dead_url}))
    with pytest.raises(ServiceUnreachable, match=r"^STOIC_JUDGE_BASE_URL: nothing answers at .*; check the network"):
        asyncio.run(reachable_model({"OPENAI_BASE_URL": service.url, "STOIC_JUDGE_BASE_URL": dead_url}))
