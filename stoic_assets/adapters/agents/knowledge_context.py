"""The knowledge-graph service (BOOGIE_URL): a separate context for what an agent learns during an evaluation."""

from stoic_assets.adapters.agents.http_session import AgentHttp, Particular, UnexpectedStatus
from stoic_assets.core.conversation.agent import AgentFailure
from stoic_assets.core.endpoint_limits import AgentLimit
from stoic_assets.core.errors import ServiceUnreachable

EXISTS = 409


async def create_knowledge_context(
    boogie_url: str, name: str, description: str, api_key: str | None = None, limit: AgentLimit | None = None
) -> None:
    """Creates the context `name`, unless it exists, as it does on resume; the service's answer is not needed.

    Raises `ServiceUnreachable` when the service cannot be reached or fails, `ConfigurationError` for a refused key.
    """
    headers = {"X-API-KEY": api_key} if api_key else {}
    http = AgentHttp(boogie_url, headers, limit or AgentLimit(), "the knowledge service", "check AGENT_API_KEY")
    body = {"name": name, "description": description, "schemaName": "personal", "id": name}
    try:
        await http.send("PUT", http.below("/api/v1/graphs"), body, particular=Particular.PLACE)
    except AgentFailure as failure:
        if isinstance(failure, UnexpectedStatus) and failure.status == EXISTS:
            return
        raise ServiceUnreachable(f"{failure}; check BOOGIE_URL, or unset it to go without") from None
    finally:
        await http.close()
