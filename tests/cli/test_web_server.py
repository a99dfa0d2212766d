import logging
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import httpx
import pytest
from served import served
from starlette.applications import Starlette
from starlette.middleware import Middleware

from stoic_assets.adapters.http.known_callers import KnownCallersOnly, TokenOutOfAddress
from stoic_assets.adapters.http.loopback_guard import guard


@pytest.fixture
def web_server(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Ours, whose guard goes with the test; importing it takes two seconds: no collection should."""
    from stoic_assets.cli import web_server

    stock = web_server.DagsterWebserver
    monkeypatch.setattr(stock, "build_middleware", stock.build_middleware)
    return web_server


def built(web_server: ModuleType) -> list[Middleware]:
    middleware: list[Middleware] = object.__new__(web_server.DagsterWebserver).build_middleware()
    return middleware


def test_the_guard_stands_before_everything_of_dagster(
    web_server: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, before = built(web_server), [TokenOutOfAddress, *(each.cls for each in guard())]
    monkeypatch.setenv("STOIC_UI_TOKEN", " a-token\n")
    web_server.put_guard()
    guarded = built(web_server)
    assert [each.cls for each in guarded] == [*before, KnownCallersOnly, *(each.cls for each in own)]
    assert guarded[len(before)].kwargs["token"] == "a-token"


@pytest.mark.parametrize(("given", "token"), [("a-token", "a-token"), ("", ""), (None, "of-the-file")])
def test_the_environment_goes_before_the_file(
    web_server: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str | None, token: str
) -> None:
    (tmp_path / ".env").write_text("STOIC_UI_TOKEN=of-the-file\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("STOIC_UI_TOKEN", raising=False)
    if given is not None:
        monkeypatch.setenv("STOIC_UI_TOKEN", given)
    web_server.put_guard()
    [known] = [each for each in built(web_server) if each.cls is KnownCallersOnly]
    assert known.kwargs["token"] == token


@pytest.fixture
def url(web_server: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A web server with all the middleware, no pages, and the token `s3cret`."""
    monkeypatch.setenv("STOIC_UI_TOKEN", "s3cret")
    web_server.put_guard()
    with served(Starlette(middleware=built(web_server)), log_config=None, log_level=None) as (address, _):
        yield address


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"accept": "text/html"}, 200),
        ({"accept": "text/html", "host": "evil.example"}, 400),
        ({"accept": "*/*"}, 401),
        ({"accept": "text/html", "origin": "http://evil.example"}, 403),
    ],
)
def test_the_log_of_requests_does_not_show_the_token_whoever_refuses_the_request(
    url: str, caplog: pytest.LogCaptureFixture, headers: dict[str, str], status: int
) -> None:
    with caplog.at_level(logging.INFO, "uvicorn.access"):
        assert httpx.get(f"{url}/?view=x&token=s3cret", headers=headers, trust_env=False).status_code == status
    [line] = [each.getMessage() for each in caplog.records if each.name == "uvicorn.access"]
    assert line.endswith(f'"GET /?view=x HTTP/1.1" {status}')
