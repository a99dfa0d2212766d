"""The knowledge-graph service (BOOGIE_URL): a separate context for what an agent learns during an evaluation."""

from stoic_assets.adapters.agents.http_session import AgentHttp, Particular
from stoic_assets.adapters.agents.unanswered import UnexpectedStatus
from stoic_assets.adapters.http.endpoint import require_listener
from stoic_assets.core.configuration.endpoint_limits import AgentLimit
from stoic_assets.core.conversation.agent import AgentFailure
from stoic_assets.core.errors import ServiceUnreachable

ADDRESS = "BOOGIE_URL"
"""The variable of the service's address."""
ADVICE = f"check {ADDRESS}, or unset it to go without"
GRAPHS = "/api/v1/graphs"
EXISTS = 409


async def create_knowledge_context(
    boogie_url: str, name: str, description: str, api_key: str | None = None, limit: AgentLimit | None = None
) -> None:
    """Creates the context `name`, unless it exists, as it does on resume. The service's answer is not needed.

    Raises `ServiceUnreachable` when the service cannot be reached or fails, `ConfigurationError` for a refused key.
    """
    http = _service(boogie_url, api_key, limit or AgentLimit())
    body = {"name": name, "description": description, "schemaName": "personal", "id": name}
    try:
        await http.send("PUT", http.below(GRAPHS), body, particular=Particular.PLACE)
    except AgentFailure as failure:
        if isinstance(failure, UnexpectedStatus) and failure.error.status == EXISTS:
            return
        raise ServiceUnreachable(f"{failure}; {ADVICE}") from None
    finally:
        await http.close()


async def check_knowledge_service(boogie_url: str, api_key: str | None, seconds: float = 5.0) -> None:
    """Raises `StoicError` where no context could be created, as far as this shows without creating one.

    A `late` failure means that no answer came within `seconds`.
    """
    await require_listener(boogie_url, ADDRESS, ADVICE, seconds)
    http = _service(boogie_url, api_key, AgentLimit(timeout_seconds=seconds))
    try:
        await http.check_access(http.below(GRAPHS))
    finally:
        await http.close()


def _service(boogie_url: str, api_key: str | None, limit: AgentLimit) -> AgentHttp:
    headers = {"X-API-KEY": api_key} if api_key else {}
    return AgentHttp(
        boogie_url, headers, limit,
        name="the knowledge service", key_advice="check AGENT_API_KEY", path_advice=ADVICE,
    )  # fmt: skip
