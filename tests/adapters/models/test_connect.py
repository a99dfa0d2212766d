import asyncio
from typing import Any

import pytest

from stoic_assets.adapters.models.connect import (
    connect_model,
    evaluator_model,
    is_offline,
    judge_panel,
    reachable_model,
)
from stoic_assets.adapters.models.offline_model import OfflineModel
from stoic_assets.adapters.models.openai_model import OpenAiModel
from stoic_assets.core.chat import ChatRequest
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable
from stoic_assets.core.settings import Settings

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
    assert is_offline(env) is offline
    assert isinstance(connect_model(env, Settings()), OfflineModel if offline else OpenAiModel)


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="STOIC_LLM=other is unknown; use openai or offline"):
        connect_model({"STOIC_LLM": "other"}, Settings())


def test_openai_needs_a_key_or_a_server() -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        connect_model({"STOIC_LLM": "openai"}, Settings())


def test_a_key_that_cannot_be_sent_is_refused_at_once() -> None:
    with pytest.raises(ConfigurationError, match=r"^OPENAI_API_KEY: holds") as caught:
        connect_model({"OPENAI_API_KEY": "sk-“treehorn”"}, Settings())
    assert "treehorn" not in str(caught.value)


def test_a_bad_address_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_BASE_URL"):
        connect_model({"OPENAI_BASE_URL": "localhost:8000"}, Settings())


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


def test_reachable(service: Any, dead_url: str) -> None:
    asyncio.run(reachable_model({}))
    asyncio.run(reachable_model({"OPENAI_BASE_URL": service.url}))
    with pytest.raises(ServiceUnreachable, match="STOIC_LLM=offline"):
        asyncio.run(reachable_model({"OPENAI_BASE_URL": dead_url}))
