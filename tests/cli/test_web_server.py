import pytest
from dagster_webserver.webserver import DagsterWebserver

from stoic_assets.adapters.loopback_guard import guard
from stoic_assets.cli.web_server import put_guard


def test_the_guard_stands_before_everything_of_dagster(monkeypatch: pytest.MonkeyPatch) -> None:
    server = object.__new__(DagsterWebserver)
    own = server.build_middleware()
    monkeypatch.setattr(DagsterWebserver, "build_middleware", DagsterWebserver.build_middleware)  # put back afterwards

    put_guard()

    guarded = server.build_middleware()
    assert [each.cls for each in guarded] == [each.cls for each in (*guard(), *own)]
