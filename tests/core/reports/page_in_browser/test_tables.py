"""Tables of the page in a real browser, on phones and wide screens."""

from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image
from rendered_page import Make, render_report
from visited_page import DRAWN, IN_CHROMIUM, PAPER, Open

pytestmark = IN_CHROMIUM


@pytest.mark.parametrize("width", [320, 390])
def test_on_a_phone_tables_show_first_what_matters_most(visit: Open, usual_page: str, width: int) -> None:
    page = visit(usual_page, viewport={"width": width, "height": 900}).page
    for table, column in (("#comparison", "difference"), ("#measures", "mean"), ("#jobs", "overall")):
        box = page.locator(f"{table} th:text-is('{column}')").first.bounding_box()
        assert box["x"] + box["width"] <= width - 16, f"{column} of {table}"
    failed = page.locator("#failures td.long").first.bounding_box()
    assert failed["width"] <= width - 32
    page.evaluate("document.querySelectorAll('.scroll').forEach((each) => each.scrollBy(40, 0))")
    for text in page.locator("caption span:visible, .why span:visible").all():
        box = text.bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width, text.text_content()


WIDE_TABLES = """() => [...document.querySelectorAll(".scroll")].filter(
  (each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.ariaLabel)"""


@pytest.mark.parametrize(("width", "medium"), [(1280, "screen"), (PAPER, "print")])
def test_a_name_without_a_place_to_break_pushes_no_column_out(
    visit: Open, make_data: Make, width: int, medium: str
) -> None:
    data = make_data(trials=4, turns=2, compared=False)
    name = "x" * 100
    trials, scores = ([{**row, "job": name} for row in rows] for rows in (data.trials, data.composite_scores))
    html = render_report(replace(data, trials=trials, composite_scores=scores))
    page = visit(html, viewport={"width": width, "height": 900}).page
    page.emulate_media(media=medium)
    assert page.locator("#jobs tbody th").first.text_content() == name
    assert page.evaluate(WIDE_TABLES) == []


@pytest.mark.parametrize("version", ["1.1.0-beta.1+build.20261101.linux-x86_64.nightly-candidate-for-all", "0f3a" * 15])
def test_a_long_name_of_a_version_pushes_no_column_out(visit: Open, make_data: Make, version: str) -> None:
    data = make_data(trials=4, turns=2)
    assert data.base
    base = replace(data.base, evaluation={**data.base.evaluation, "agent_version": f"marcus@{version}"})
    rows = [row | {"base": f"marcus@{version}"} for row in data.version_comparisons]
    html = render_report(replace(data, base=base, version_comparisons=rows))
    page = visit(html, viewport={"width": 1280, "height": 900}).page
    for heading in (version, f"score in {version}"):
        assert page.locator("th", has_text=heading).first.bounding_box()["width"] <= 200
    assert page.evaluate(WIDE_TABLES) == []


@pytest.mark.parametrize("width", [390, 1280])
def test_the_table_of_reliability_is_as_wide_as_its_numbers(visit: Open, usual_page: str, width: int) -> None:
    table = visit(usual_page, viewport={"width": width, "height": 900}).page.locator("#reliability table").first
    assert table.locator("tbody th").first.bounding_box()["width"] < 50
    assert table.bounding_box()["width"] < 358


@pytest.mark.parametrize("width", [390, 1280])
def test_no_bar_crosses_its_number(visit: Open, usual_page: str, width: int) -> None:
    page = visit(usual_page, viewport={"width": width, "height": 900}).page
    assert page.locator(".bar").count() > 20
    assert page.evaluate(CROSSED_NUMBERS) == []


CROSSED_NUMBERS = """() => [...document.querySelectorAll(".bar")].filter((cell) => {
  const number = document.createRange(), style = getComputedStyle(cell), box = cell.getBoundingClientRect();
  number.selectNodeContents(cell);
  const top = parseFloat(style.backgroundPositionY), bottom = top + parseFloat(style.backgroundSize.split(" ")[1]);
  return box.height && (box.top + top + 1 < number.getBoundingClientRect().bottom || bottom > box.height);
}).map((cell) => cell.textContent)"""


def test_an_edge_beyond_which_a_table_goes_on_is_shaded(visit: Open, usual_page: str) -> None:
    page = visit(usual_page, viewport={"width": 390, "height": 900}).page
    table, shaded = page.locator("#measures .scroll"), []
    for place in (0, 30, 10_000):
        table.evaluate("(each, place) => { each.scrollIntoView(); each.scrollLeft = place }", place)
        page.evaluate(DRAWN)
        seen = Image.open(BytesIO(table.screenshot())).convert("RGB")
        shaded.append([seen.getpixel((x, 3)) != (255, 255, 255) for x in (1, seen.width - 2)])
    assert shaded == [[False, True], [True, True], [True, False]]


NAMES_IN_PIECES = """() => {
  const broken = [];
  for (const element of document.querySelectorAll("tbody th, .links a")) {
    for (const text of [...element.childNodes].filter((each) => each.nodeType === Node.TEXT_NODE)) {
      const range = document.createRange();
      range.selectNodeContents(text);
      if (/^\\S+$/.test(text.data) && range.getClientRects().length > 1) broken.push(text.data);
    }
  }
  return broken;
}"""


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_names_break_between_their_parts_alone(visit: Open, make_data: Make, width: int) -> None:
    data, long = make_data(compared=False), "reminder_tomorrow_without_time_zone.case-0001"
    trials = [{**row, "job": long} for row in data.trials]
    page = visit(render_report(replace(data, trials=trials)), viewport={"width": width, "height": 900}).page
    assert page.locator("#jobs tbody th").first.text_content() == long
    assert page.evaluate(NAMES_IN_PIECES) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
