import pytest
from dagster_webserver.webserver import DagsterWebserver
from starlette.middleware import Middleware

from stoic_assets.adapters.known_callers import KnownCallersOnly
from stoic_assets.adapters.loopback_guard import guard
from stoic_assets.cli.web_server import put_guard


@pytest.fixture(autouse=True)
def put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DagsterWebserver, "build_middleware", DagsterWebserver.build_middleware)


def built() -> list[Middleware]:
    return object.__new__(DagsterWebserver).build_middleware()


def test_the_guard_stands_before_everything_of_dagster(monkeypatch: pytest.MonkeyPatch) -> None:
    own, before = built(), [each.cls for each in guard()]
    monkeypatch.setenv("STOIC_UI_TOKEN", " a-token\n")
    put_guard()
    guarded = built()
    assert [each.cls for each in guarded] == [*before, KnownCallersOnly, *(each.cls for each in own)]
    assert guarded[len(before)].kwargs["token"] == "a-token"


@pytest.mark.parametrize(("given", "token"), [("a-token", "a-token"), ("", ""), (None, "of-the-file")])
def test_the_environment_goes_before_the_file(
    monkeypatch: pytest.MonkeyPatch, given: str | None, token: str
) -> None:
    monkeypatch.delenv("STOIC_UI_TOKEN", raising=False)
    if given is not None:
        monkeypatch.setenv("STOIC_UI_TOKEN", given)
    put_guard()
    monkeypatch.setenv("STOIC_UI_TOKEN", "of-the-file")  # as Dagster does with `.env`
    [known] = [each for each in built() if each.cls is KnownCallersOnly]
    assert known.kwargs["token"] == token
