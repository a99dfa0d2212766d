"""`stoic agent`: serves the demo agent."""

import signal
import sys
from typing import Annotated

import typer

from stoic_assets.adapters.http.api_keys import sent_value
from stoic_assets.adapters.http.loopback_guard import LOOPBACK
from stoic_assets.adapters.workplace import open_workplace


def agent(
    release: Annotated[
        str,
        typer.Option(metavar="V", show_default=False, help="Of the demo agent: 1.0.0 or 1.1.0. (default: 1.0.0)"),
    ] = "1.0.0",
    port: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, max=65535, show_default=False,
            help="Port to listen on; 0 picks a free one. (default: 8081)",
        ),
    ] = 8081,
    api_key: Annotated[
        str | None,
        typer.Option(
            metavar="KEY", show_default=False, help="Key that callers must send. (default: AGENT_API_KEY)",
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", show_default=False,
            help="Address to listen on; any other than loopback needs --api-key. (default: 127.0.0.1)",
        ),
    ] = LOOPBACK[0],
) -> None:
    """Serves the demo agent Marcus, which writes to the subject graph."""
    from stoic_assets.demo.service import serve

    workplace = open_workplace()
    key = api_key or sent_value(workplace.env, "AGENT_API_KEY")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # uvicorn raises the signal again after its shutdown
    with workplace.graphs() as graphs:
        serve(release, port, graphs.subject, key, host)
