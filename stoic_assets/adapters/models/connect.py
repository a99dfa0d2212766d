"""Connects the models that play simulated user and judge, as the environment names them."""

from collections.abc import Mapping
from dataclasses import dataclass

from stoic_assets.adapters.http.endpoint import require_listener
from stoic_assets.adapters.models.model_server import VARIABLES, ModelServer, evaluator_server, judge_server
from stoic_assets.adapters.models.openai_model import OpenAiModel
from stoic_assets.adapters.models.stand_in import OFFLINE, StandIn
from stoic_assets.adapters.process.configured_secrets import configured_redactor
from stoic_assets.core.calls.chat import ChatModel, ChatReply, ChatRequest, Role
from stoic_assets.core.calls.concurrent_calls import concurrently
from stoic_assets.core.configuration.settings import ModelOptions, Settings
from stoic_assets.core.errors import ConfigurationError

DEFAULT_MODEL = "gpt-4.1-mini"
PROVIDERS = ("openai", OFFLINE)


@dataclass(frozen=True)
class ByRole:
    """Models with a different server for each role."""

    models: Mapping[Role, ChatModel]

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The reply of the model for the request's role."""
        return await self.models[request.role].complete(request)


def connect_model(env: Mapping[str, str], settings: Settings) -> ChatModel:
    """The provider of every model; nothing is sent yet. Raises `ConfigurationError` if the settings cannot work."""
    if uses_stand_in(env):
        return StandIn()
    if not _value(env, "OPENAI_API_KEY") and not _value(env, "OPENAI_BASE_URL"):
        why = "no model server for the simulated user"
        raise ConfigurationError(f"{why}: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server without keys")
    options: dict[Role, ModelOptions] = {
        "evaluator": settings.conversations.model_options, "judge": settings.judging.model_options
    }
    redactor = configured_redactor(settings, env)
    served = {
        server: OpenAiModel(server, settings.limits, settings.prices, options, redactor)
        for server in model_servers(env)
    }
    one, *others = served.values()
    return ByRole({"evaluator": one, "judge": served[judge_server(env)]}) if others else one


def uses_stand_in(env: Mapping[str, str]) -> bool:
    """Whether the stand-in is used (scores mean nothing). Raises `ConfigurationError` for an unknown provider."""
    provider = _value(env, "STOIC_LLM")
    if provider and provider not in PROVIDERS:
        raise ConfigurationError(f"STOIC_LLM={provider} is unknown; use {' or '.join(PROVIDERS)}")
    if provider:
        return provider == OFFLINE
    return not any(_value(env, name) for name in VARIABLES)


def evaluator_model(env: Mapping[str, str]) -> str:
    """The model that plays the user."""
    return OFFLINE if uses_stand_in(env) else _value(env, "STOIC_EVALUATOR_MODEL") or DEFAULT_MODEL


def judge_panel(env: Mapping[str, str]) -> tuple[str, ...]:
    """The models that judge, each once, in the order of STOIC_JUDGE_MODEL."""
    if uses_stand_in(env):
        return (OFFLINE,)
    named = [name.strip() for name in _value(env, "STOIC_JUDGE_MODEL").split(",")]
    return tuple(dict.fromkeys(name for name in named if name)) or (DEFAULT_MODEL,)


def model_servers(env: Mapping[str, str]) -> list[ModelServer]:
    """The model servers, each once, that of the simulated user first. Raises as `evaluator_server`."""
    return list(dict.fromkeys([evaluator_server(env), judge_server(env)]))


async def reachable_model(env: Mapping[str, str]) -> None:
    """Raises `ServiceUnreachable` when a model server accepts no connection."""
    if not uses_stand_in(env):
        await concurrently([_reachable(server) for server in model_servers(env)])


async def _reachable(server: ModelServer) -> None:
    trial = "set STOIC_LLM=offline to try the pipeline without a model"
    advice = f"check the network and {server.url_variable}, or {trial}"
    await require_listener(server.address, server.url_variable, advice, 5.0)


def _value(env: Mapping[str, str], name: str) -> str:
    return env.get(name, "").strip()
