import pytest
from dagster_webserver.webserver import DagsterWebserver

from stoic_assets.adapters.loopback_guard import KnownCallersOnly, guard
from stoic_assets.cli.web_server import put_guard


def test_the_guard_stands_before_everything_of_dagster(monkeypatch: pytest.MonkeyPatch) -> None:
    server = object.__new__(DagsterWebserver)
    own = server.build_middleware()
    monkeypatch.setattr(DagsterWebserver, "build_middleware", DagsterWebserver.build_middleware)  # put back afterwards

    monkeypatch.setenv("STOIC_UI_TOKEN", "a-token")

    put_guard()

    guarded = server.build_middleware()
    before = [each.cls for each in guard()]
    assert [each.cls for each in guarded] == [*before, KnownCallersOnly, *(each.cls for each in own)]
    assert guarded[len(before)].kwargs["token"] == "a-token"
