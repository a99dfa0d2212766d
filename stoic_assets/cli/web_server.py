"""Dagster's web server behind our guard: `python -m stoic_assets.cli.web_server` takes dagster-webserver's arguments.

By itself it answers any page that a browser shows, and its GraphQL takes mutations by GET, so that a picture on any
web page could launch a run. It has no accounts either: whoever asks must know the token that `STOIC_UI_TOKEN` sets,
and where none is set, no other machine is answered.
"""

import os
from typing import Any

from dagster_webserver.cli import main
from dagster_webserver.webserver import DagsterWebserver
from starlette.middleware import Middleware

from stoic_assets.adapters.known_callers import SETTING, KnownCallersOnly
from stoic_assets.adapters.loopback_guard import guard


def put_guard() -> None:
    """Puts the guard before everything in the web servers that this process makes."""
    own, given = DagsterWebserver.build_middleware, os.environ.get(SETTING)

    def guarded(server: DagsterWebserver[Any, Any]) -> list[Middleware]:
        # By now Dagster has put the project's `.env` over the environment, which goes before it.
        token = os.environ.get(SETTING, "") if given is None else given
        return [*guard(), Middleware(KnownCallersOnly, token=token.strip()), *own(server)]

    # Its command makes the server itself; there is no other place to add middleware.
    DagsterWebserver.build_middleware = guarded  # type: ignore[method-assign, assignment]


if __name__ == "__main__":
    put_guard()
    main()  # type: ignore[no-untyped-call]
