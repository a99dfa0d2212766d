"""The openai package's client for one server: over a transport of our own, without its retries and time-outs."""

from typing import TYPE_CHECKING

from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.process.lean_imports import import_lean_openai

if TYPE_CHECKING:
    from openai import AsyncOpenAI


def open_client(server: ModelServer, proxy: str | None, connect_seconds: float) -> "AsyncOpenAI":
    """A client of the server; it must be closed in the event loop in which it is used.

    It waits for a connection no longer than so many seconds.
    """
    import_lean_openai()
    from openai import AsyncOpenAI
    from openai._base_client import get_platform

    from stoic_assets.adapters.models.aiohttp_client import AiohttpClient, sharing

    # All other time-outs are set around each attempt; the proxy is chosen by the caller, since loopback must bypass it.
    http = AiohttpClient(server.base.startswith("https:"), proxy, connect_seconds)
    key = server.key or "none"
    client = AsyncOpenAI(api_key=key, base_url=server.base, max_retries=0, timeout=None, http_client=http)
    # By itself the package sends these, which belong to one server's account, to every server.
    client.organization = client.project = None
    client._custom_headers = dict(server.headers)
    client._build_request = sharing(client._build_request)  # type: ignore[method-assign]
    # Else every call that is sent before the first reply looks it up in a thread of its own: 250 threads at once.
    client._platform = get_platform()
    return client
