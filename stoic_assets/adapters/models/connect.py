"""From the environment to the models that play evaluator and judge."""

from collections.abc import Mapping

from stoic_assets.adapters.api_keys import api_key
from stoic_assets.adapters.endpoint import require_listener
from stoic_assets.adapters.models.offline_model import OFFLINE, OfflineModel
from stoic_assets.adapters.models.openai_model import DEFAULT_URL, OpenAiModel
from stoic_assets.core.chat import ChatModel
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.settings import Settings

DEFAULT_MODEL = "gpt-4.1-mini"
PROVIDERS = ("openai", OFFLINE)


def connect_model(env: Mapping[str, str], settings: Settings) -> ChatModel:
    """The provider of every model; nothing is sent yet."""
    if is_offline(env):
        return OfflineModel()
    key, base_url = api_key(env, "OPENAI_API_KEY"), model_server(env)
    if not key and not base_url:
        raise ConfigurationError("STOIC_LLM=openai needs OPENAI_API_KEY, or OPENAI_BASE_URL for a server without keys")
    return OpenAiModel(base_url or None, key, settings.limits, settings.prices)


def is_offline(env: Mapping[str, str]) -> bool:
    """Whether the stand-in plays, so that scores mean nothing. Raises `ConfigurationError` for an unknown provider."""
    provider = _value(env, "STOIC_LLM")
    if provider and provider not in PROVIDERS:
        raise ConfigurationError(f"STOIC_LLM={provider} is unknown; use {' or '.join(PROVIDERS)}")
    if provider:
        return provider == OFFLINE
    return not _value(env, "OPENAI_API_KEY") and not model_server(env)


def model_server(env: Mapping[str, str]) -> str:
    """The address that is configured for the models; empty where they are served at `DEFAULT_URL`."""
    return _value(env, "OPENAI_BASE_URL")


def evaluator_model(env: Mapping[str, str]) -> str:
    """The model that plays the user."""
    return OFFLINE if is_offline(env) else _value(env, "STOIC_EVALUATOR_MODEL") or DEFAULT_MODEL


def judge_panel(env: Mapping[str, str]) -> tuple[str, ...]:
    """The models that judge, each once, in the order of STOIC_JUDGE_MODEL."""
    if is_offline(env):
        return (OFFLINE,)
    named = [name.strip() for name in _value(env, "STOIC_JUDGE_MODEL").split(",")]
    return tuple(dict.fromkeys(name for name in named if name)) or (DEFAULT_MODEL,)


async def reachable_model(env: Mapping[str, str]) -> None:
    """Raises `ServiceUnreachable` when nothing accepts connections where the models are served."""
    if not is_offline(env):
        advice = "check the network and OPENAI_BASE_URL, or set STOIC_LLM=offline to try the pipeline without a model"
        await require_listener(model_server(env) or DEFAULT_URL, "OPENAI_BASE_URL", advice, 5.0)


def _value(env: Mapping[str, str], name: str) -> str:
    return env.get(name, "").strip()
