"""The web UI with a token, in a real browser: its pages must be able to ask for more once they are shown."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from web_ui import web_ui

from stoic_assets.adapters.http.known_callers import SETTING, login_link

pytestmark = [pytest.mark.long, pytest.mark.timeout(120)]
TOKEN = "a/token+of ours"
SUBSCRIBED = """new Promise(done => {
  const socket = new WebSocket(`ws://${location.host}/graphql`, "graphql-ws");
  socket.onopen = () => socket.send(JSON.stringify({type: "connection_init"}));
  socket.onmessage = message => done(JSON.parse(message.data).type);
  socket.onerror = () => done("refused");
})"""


@pytest.fixture
def url(browser: Any, tmp_path: Path) -> Iterator[str]:
    """The web UI of an empty project, which asks for the token. After the browser: without one it need not start."""
    env = {"STOIC_HOME": str(tmp_path / "home"), "STOIC_LLM": "offline", SETTING: TOKEN}
    with web_ui(tmp_path, env) as served:
        yield served


def test_every_way_in_leads_to_pages_that_work_and_nobody_else_gets_in(browser: Any, url: str) -> None:
    plain, password = f"{url}/asset-groups", quote(TOKEN, safe="")

    with browser.new_context() as linked:
        page = linked.new_page()
        page.goto(login_link(url, TOKEN))
        page.wait_for_url(lambda address: "token" not in address)
        shows_the_assets(linked.new_page(), plain)
    with browser.new_context(http_credentials={"username": "anybody", "password": TOKEN}) as prompted:
        shows_the_assets(prompted.new_page(), f"{plain}?open=1#part")
    with browser.new_context() as addressed:
        shows_the_assets(addressed.new_page(), plain.replace("//", f"//anybody:{password}@") + "#part")
    with browser.new_context() as unknown:
        asks_for_a_password(unknown.new_page(), url)
        asks_for_a_password(unknown.new_page(), login_link(url, "another"))
        assert unknown.cookies() == []


def shows_the_assets(page: Any, address: str) -> None:
    page.goto(address)
    page.get_by_text("conversations").first.wait_for()
    assert page.evaluate("fetch('/server_info').then(answer => answer.status)") == 200
    assert page.evaluate(SUBSCRIBED) == "connection_ack"


def asks_for_a_password(page: Any, address: str) -> None:
    """Where nobody can give one, the browser stops there."""
    with pytest.raises(Exception, match="ERR_INVALID_AUTH_CREDENTIALS"):
        page.goto(address)
