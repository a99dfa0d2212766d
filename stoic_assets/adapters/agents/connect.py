"""Makes a connected agent from a job's target and the environment."""

import re
from collections.abc import Mapping

from stoic_assets.adapters.agents.embabel import EmbabelAgent
from stoic_assets.adapters.agents.openai_agent import OpenAiAgent
from stoic_assets.adapters.http.api_keys import api_key, require_header
from stoic_assets.adapters.http.endpoint import require_listener
from stoic_assets.adapters.process.configured_secrets import secrets_of_headers
from stoic_assets.core.configuration.endpoint_limits import AgentLimit
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.job_entries import Target
from stoic_assets.core.secrets.redaction import Redactor

KEY = "AGENT_API_KEY"
"""The variable of the key that is sent to every agent."""
_VARIABLE = re.compile(r"\$\{(\w+)\}")


def connect_agent(
    target: Target, url: str, model: str, env: Mapping[str, str], limit: AgentLimit, redactor: Redactor | None = None
) -> EmbabelAgent | OpenAiAgent:
    """The adapter for the target's protocol; nothing is sent yet.

    The target may have a time-out of its own. `redactor` blanks secrets in what errors quote. Raises
    `ConfigurationError` for a bad address, key or header.
    """
    headers = _headers(target, env)
    key = api_key(env, KEY)
    if target.timeout_seconds:
        limit = limit.model_copy(update={"timeout_seconds": target.timeout_seconds})
    if target.protocol == "openai":
        return OpenAiAgent(url, model, api_key=key, headers=headers, limit=limit, redactor=redactor)
    return EmbabelAgent(url, target.chatbot, model, api_key=key, headers=headers, limit=limit, redactor=redactor)


async def reachable(url: str, timeout: float = 5.0) -> None:
    """Raises `ServiceUnreachable` when no agent accepts connections at `url` within `timeout` seconds."""
    advice = "start the agent, or give its address: AGENT_URL, `url` in releases/*.yml, or `stoic eval --agent-url`"
    await require_listener(url, "agent", advice, timeout)


async def check_access(target: Target, url: str, env: Mapping[str, str], seconds: float = 5.0) -> None:
    """Raises `StoicError` where no evaluation could talk to the agent at `url`, as far as this shows without a session.

    That is: nothing listens there, a certificate is not trusted, a key is refused, the address leads elsewhere, or (a
    `late` failure) no answer comes within `seconds`. No session is opened and no message sent.
    """
    await reachable(url, seconds)
    agent = connect_agent(target.model_copy(update={"timeout_seconds": seconds}), url, "", env, AgentLimit())
    try:
        await agent.check_access()
    finally:
        await agent.close()


def header_secrets(target: Target, env: Mapping[str, str]) -> list[str]:
    """The secrets in the target's headers, found by header names, and those within them.

    Raises as `connect_agent` does.
    """
    return secrets_of_headers(_headers(target, env))


def header_variables(target: Target) -> set[str]:
    """The environment variables that the target's headers name."""
    return {variable for value in target.headers.values() for variable in _VARIABLE.findall(value)}


def _headers(target: Target, env: Mapping[str, str]) -> dict[str, str]:
    return {name: _header(name, value, env) for name, value in target.headers.items()}


def _header(name: str, value: str, env: Mapping[str, str]) -> str:
    """The value to send, every `${ENV_NAME}` in it replaced."""
    for variable in _VARIABLE.findall(value):
        if not env.get(variable):
            raise ConfigurationError(f"target.headers.{name}: set the environment variable {variable}")
    resolved = _VARIABLE.sub(lambda match: env[match[1]], value).strip()
    require_header(name, resolved, f"target.headers.{name}")
    return resolved
