"""The report of ratings in a real browser: what is opened for print, what fits on paper, and lines that stay lines."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from analysed_ratings import analyse_rows
from visited_page import CHROMIUM, FLAGS, IN_CHROMIUM, PAPER

from stoic_assets.core.ratings.reliability.estimate import Resampling
from stoic_assets.core.ratings.report.page import render_analysis

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
LONG_NAME = "a_rater-whose.name_" * 10
STICKS_OUT = """() => [...document.querySelectorAll('.scroll')]
  .filter((part) => part.checkVisibility() && part.scrollWidth > part.clientWidth).map((part) => part.ariaLabel)"""

DISTANCES = """() => [...document.querySelectorAll('.cards, .columns')]
  .map((part) => [part, part.nextElementSibling]).filter(([, next]) => next?.matches('.columns, .scroll'))
  .map(([part, next]) => next.getBoundingClientRect().top - part.getBoundingClientRect().bottom)"""
TOPS = """() => [...document.querySelectorAll('.columns > .scroll + .scroll')]
  .map((part) => [part.previousElementSibling, part].map((each) => each.getBoundingClientRect().top))"""

pytestmark = IN_CHROMIUM


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One headless Chromium for the module."""
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Any, tmp_path: Path, make_row: Callable[..., dict[str, Any]]) -> Iterator[Any]:
    """The report of three raters, one with a long name, who are split on every one of four items."""
    raters = {LONG_NAME: "One line.\nAnother line.", "bob": "", "cleo": ""}
    rows = [
        make_row(rater, f"item-{item}", *((place * 2 + each + item) % 5 + 1 for each in range(5)), comments=text)
        for place, (rater, text) in enumerate(raters.items()) for item in range(4)
    ]  # fmt: skip
    file = tmp_path / "analysis.html"
    file.write_text(render_analysis(analyse_rows(rows, resampling=Resampling(10))), encoding="utf-8")
    opened, faults = browser.new_page(viewport={"width": PAPER, "height": 900}), list[str]()
    opened.on("console", lambda message: faults.append(message.text))
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.goto(file.as_uri())
    yield opened
    opened.close()
    assert faults == []


def test_all_items_to_discuss_are_opened_for_print_at_once(page: Any) -> None:
    assert "What is open is printed." in page.inner_text("#discussion .note")
    items = "(all) => all.map((each) => each.open)"
    page.click("text=Expand all")
    assert page.locator("#discussion details").evaluate_all(items) == [True] * 4
    page.click("text=Collapse all")
    assert page.locator("#discussion details").evaluate_all(items) == [False] * 4
    page.emulate_media(media="print")
    assert not page.locator("#trial-tools").is_visible()


def test_a_long_name_pushes_no_column_off_the_paper(page: Any) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    page.emulate_media(media="print")
    assert page.evaluate(STICKS_OUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PAPER


def test_a_table_is_a_tab_stop_only_where_it_scrolls(page: Any) -> None:
    stops = playwright.expect(page.locator(".scroll[tabindex]:visible"))
    page.set_viewport_size({"width": 1280, "height": 900})
    stops.to_have_count(0)
    page.set_viewport_size({"width": 320, "height": 900})
    stops.not_to_have_count(0)


def test_charts_stand_apart_from_the_cards_above_and_the_table_below(page: Any) -> None:
    distances = page.evaluate(DISTANCES)
    assert len(distances) == 2
    assert min(distances) >= 12


def test_tables_side_by_side_begin_at_one_height(page: Any) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    [(left, right)] = page.evaluate(TOPS)
    assert left == right


def test_the_lines_of_a_comment_stay_lines(page: Any) -> None:
    page.click("text=Expand all")
    assert page.locator("#discussion .why span").first.inner_text() == "One line.\nAnother line."
