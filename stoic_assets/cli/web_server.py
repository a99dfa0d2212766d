"""Dagster's web server behind our guard: `python -m stoic_assets.cli.web_server` takes dagster-webserver's arguments.

Without the guard it answers requests from any page in a browser, and its GraphQL accepts mutations by GET, so that an
image on any web page could launch a run. It has no accounts either: callers must send the token in `STOIC_UI_TOKEN`;
without a token, other machines are refused.
"""

from typing import Any

from dagster_webserver.cli import main
from dagster_webserver.webserver import DagsterWebserver
from starlette.middleware import Middleware

from stoic_assets.adapters.http.api_keys import sent_value
from stoic_assets.adapters.http.known_callers import SETTING, KnownCallersOnly, TokenOutOfAddress
from stoic_assets.adapters.http.loopback_guard import guard
from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.cli.code_server import leave_env_file


def put_guard() -> None:
    """Puts the guard in front of the web servers that this process makes."""
    own, token = DagsterWebserver.build_middleware, sent_value(open_workplace(to_read=True).env, SETTING)

    def guarded(server: DagsterWebserver[Any, Any]) -> list[Middleware]:
        known = Middleware(KnownCallersOnly, token=token)
        return [Middleware(TokenOutOfAddress), *guard(), known, *own(server)]

    # Its command makes the server itself; there is no other place to add middleware.
    DagsterWebserver.build_middleware = guarded  # type: ignore[method-assign, assignment]


if __name__ == "__main__":
    leave_env_file()
    put_guard()
    main()  # type: ignore[no-untyped-call]
