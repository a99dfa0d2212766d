"""Raters at a rating page in a real browser, and pages for them."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from visited_page import CHROMIUM, FLAGS

from stoic_assets.core.ratings.blinding import BlindPage, Reply, blind
from stoic_assets.core.ratings.page.build import build_page

DESKTOP = {"viewport": {"width": 1360, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 760}, "has_touch": True, "is_mobile": True}
CHOSEN = "[...document.querySelectorAll('fieldset input:checked')].map((each) => [each.name, each.value])"
PRACTICE = 5
STORED = "JSON.stringify(Object.entries(localStorage).sort())"


def pytest_itemcollected(item: pytest.Item) -> None:
    """A browser at work takes an eighth of the time of all other tests."""
    item.add_marker(pytest.mark.long)


@dataclass
class Rater:
    """Somebody at the page, and what the page did that it should not."""

    page: Any
    offences: list[str] = field(default_factory=list)

    def another_window(self) -> "Rater":
        """The same page in a further window of the same browser."""
        other = Rater(self.page.context.new_page())
        other.page.goto(self.page.url)
        return other

    def can_read(self, other: "Rater") -> None:
        """Waits until what the other window stored is readable in this one, which has not looked yet."""
        self.page.wait_for_function(f"stored => {STORED} === stored", arg=other.page.evaluate(STORED))

    def hears_of(self, other: "Rater") -> None:
        """Waits until this window shows what the other one stored."""
        self.can_read(other)
        self.page.wait_for_function(f"number => {CHOSEN}.length === number", arg=len(other.chosen()))

    def reload(self) -> None:
        """Loads the page again, up to the item that is open."""
        self.page.reload()
        self.page.locator("#rating").wait_for()

    def press(self, keys: str) -> None:
        """Presses single keys; `>` stands for Enter."""
        for key in keys:
            self.page.keyboard.press("Enter" if key == ">" else key)

    def enter(self, name: str = "ann") -> None:
        """From the welcome page to the first practice item."""
        self.page.keyboard.press("Tab")
        self.page.keyboard.type(name)
        self.press(">")

    def give_way(self) -> None:
        """To the welcome page, for another rater."""
        self.press("?")
        self.page.click("#other-rater")

    def escape(self) -> None:
        """Out of a dialog, or of the field for a comment."""
        self.page.keyboard.press("Escape")

    def practise(self, name: str = "ann") -> None:
        """To the first real item."""
        self.enter(name)
        self.press("54543y>" * PRACTICE)
        self.page.keyboard.press("Tab")
        self.press(">")

    def text(self, selector: str) -> str:
        """What is written there."""
        return str(self.page.locator(selector).text_content())

    @property
    def title(self) -> str:
        """Which item is open."""
        return self.text("#item-title")

    def chosen(self) -> dict[str, str]:
        """The answers that are marked on the open item."""
        return dict(self.page.evaluate(CHOSEN))

    def to_reply(self, said: str) -> None:
        """From the first real item to the one whose person wrote this; those before it are rated."""
        while self.text("#input") != said:
            self.press("33333m>")

    def save(self, folder: Path) -> Path:
        """The saved file, by keyboard."""
        with self.page.expect_download() as download:
            self.press(">")
        path = folder / download.value.suggested_filename
        download.value.save_as(path)
        return path

    def comment(self, text: str) -> None:
        """Types a comment on the open item."""
        self.press("c")
        self.page.keyboard.type(text)
        self.escape()

    def saved(self, folder: Path) -> Path:
        """What `save_from_dialog` gives, as a file to load elsewhere."""
        path = folder / "saved.json"
        path.write_text(json.dumps(self.save_from_dialog(folder)), encoding="utf-8")
        return path

    def save_from_dialog(self, folder: Path) -> list[dict[str, Any]]:
        """What the file holds that is saved from an open item."""
        self.press("s")
        ratings = json.loads(self.save(folder).read_text(encoding="utf-8"))
        self.escape()
        return ratings


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One headless Chromium for a module."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium on PATH")
    with playwright.sync_playwright() as driver:
        # With the back/forward cache, as people have it.
        chromium = driver.chromium.launch(
            executable_path=CHROMIUM, args=list(FLAGS), ignore_default_args=["--disable-back-forward-cache"]
        )
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Rater]]:
    """Opens a page in a browser that knows nothing yet, from its file or the address where a server has it.

    Whatever the page should not do fails the test.
    """
    raters: list[Rater] = []

    def opened(file: Path, script: str | None = None, address: str | None = None, **options: Any) -> Rater:
        own = address or file.as_uri()
        context = browser.new_context(**(DESKTOP | options))
        rater = Rater(context.new_page())
        raters.append(rater)
        page, noted = rater.page, rater.offences
        page.on("dialog", lambda dialog: (noted.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("console", lambda message: noted.append(f"console {message.text}"))
        page.on("pageerror", lambda error: noted.append(f"error {error}"))
        page.on("request", lambda request: is_own(request.url, own) or noted.append(f"request {request.url}"))
        if script:
            page.add_init_script(script)
        page.goto(own)
        return rater

    yield opened
    for rater in raters:
        rater.page.context.close()
    assert [offence for rater in raters for offence in rater.offences] == []


def is_own(url: str, own: str) -> bool:
    """Whether nothing left the page: its own address, data, or the file that it offers to save."""
    return url == own or url.startswith(("data:", "blob:"))


@pytest.fixture
def write_page(tmp_path: Path) -> Callable[..., tuple[Path, BlindPage]]:
    """Writes a page of some replies; gives it and what stands behind it."""

    def write(
        replies: int = 3, reply: str = "It is in your power.", numbered: bool = True
    ) -> tuple[Path, BlindPage]:
        ids = count()
        said = [f"{reply} ({n})" if numbered else reply for n in range(replies)]
        exchanges = [Reply("m@1", "e", f"t{n}", f"Number {n} troubles me.", text) for n, text in enumerate(said)]
        page = blind(exchanges, {}, lambda: f"{next(ids) * 7919 % 10007:05x}")
        file = tmp_path / "page.html"
        file.write_text(build_page(page), encoding="utf-8")
        return file, page

    return write


@pytest.fixture
def rater(visit: Callable[..., Rater], write_page: Callable[..., tuple[Path, BlindPage]]) -> Rater:
    """Somebody at a page of a few replies."""
    file, _ = write_page()
    return visit(file)


@pytest.fixture
def phone() -> dict[str, Any]:
    """A narrow screen to be touched."""
    return PHONE
