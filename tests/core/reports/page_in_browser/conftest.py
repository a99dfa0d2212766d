"""Reports in a real browser."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from visited_page import CHROMIUM, FLAGS, Visit


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One headless Chromium for a module; the event loop of its driver would be in the way of other tests."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Visit]]:
    """Opens a report from a file and notes every dialog, request, error and console message."""
    contexts = []

    def opened(html: str, **options: Any) -> Visit:
        file = tmp_path / "report.html"
        file.write_text(html, encoding="utf-8")
        context = browser.new_context(**options)
        contexts.append(context)
        seen = Visit(context.new_page())
        seen.page.on("dialog", lambda dialog: (seen.offences.append(f"dialog {dialog.message}"), dialog.dismiss()))
        seen.page.on("console", lambda message: seen.offences.append(f"console {message.text}"))
        seen.page.on("pageerror", lambda error: seen.offences.append(f"error {error}"))
        seen.page.on("request", lambda request: note_request(seen, request.url, file.as_uri()))
        seen.page.goto(file.as_uri())
        return seen

    yield opened
    for context in contexts:
        context.close()


def note_request(visit: Visit, url: str, own: str) -> None:
    """Every request but that of the file itself is an offence; data: never leaves the page."""
    if url != own and not url.startswith("data:"):
        visit.offences.append(f"request {url}")
