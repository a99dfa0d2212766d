"""The page in a real browser for who sees badly, hears it, or has a keyboard or a finger alone."""

from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image
from rendered_page import Make, render_report
from visited_page import DRAWN, IN_CHROMIUM, LAID_OUT, Open

pytestmark = IN_CHROMIUM


def test_links_to_repeats_are_large_enough_for_a_finger_and_say_what_they_are(visit: Open, usual_page: str) -> None:
    links = visit(usual_page).page.locator("#jobs .links a")
    sizes = [(box["width"], box["height"]) for box in (link.bounding_box() for link in links.all())]
    assert min(min(size) for size in sizes) >= 24
    assert links.first.text_content() == "repeat 1"


def test_all_that_opens_is_large_enough_for_a_finger(visit: Open, usual_page: str) -> None:
    page = visit(usual_page).page
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    page.add_style_tag(content=LAID_OUT)
    heights = page.locator("summary").evaluate_all("(all) => all.map((each) => each.getBoundingClientRect().height)")
    assert min(heights) >= 24


@pytest.mark.parametrize("folded", ["trial", "flip"])
def test_the_focus_is_seen_on_what_can_be_opened(visit: Open, usual_page: str, folded: str) -> None:
    page = visit(usual_page, reduced_motion="reduce").page
    summary = page.locator(f"details.{folded}:not([open]) > summary").first
    summary.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    assert summary.evaluate("(each) => each.matches(':focus-visible')")
    seen = Image.open(BytesIO(summary.screenshot())).convert("RGB")
    ring = sum(count for count, colour in seen.getcolors(seen.width * seen.height) if colour == (0x0B, 0x57, 0xB0))
    assert ring > 3 * seen.width


TEXTS = """[...document.querySelectorAll("pre, .scroll")].map((each) => ({
  scrolls: each.scrollHeight > each.clientHeight || each.scrollWidth > each.clientWidth,
  stop: each.getAttribute("tabindex") === "0", name: each.role && each.ariaLabel,
}))"""


def test_evidence_and_tables_are_tab_stops_where_they_scroll_and_only_there(visit: Open, usual_page: str) -> None:
    page = visit(usual_page, viewport={"width": 390, "height": 900}).page
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    page.add_style_tag(content=LAID_OUT)
    for width, kinds in ((390, {True, False}), (1280, {False}), (390, {True, False})):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(DRAWN)
        texts = page.evaluate(TEXTS)
        assert {each["scrolls"] for each in texts} == kinds
        assert [each for each in texts if each["stop"] != each["scrolls"] or not each["name"]] == []


@pytest.mark.parametrize("width", [390, 1280])
def test_both_versions_of_a_turn_are_told_apart_by_ear_and_without_colour(
    visit: Open, make_data: Make, width: int
) -> None:
    data = make_data(trials=2, turns=2)
    turns = [{**row, "events": row["events"].replace("createReminder", "noteDown")} for row in data.turns]
    seen = visit(render_report(replace(data, turns=turns)), viewport={"width": width, "height": 900})
    pair = seen.page.locator("details.flip[open] .pairs > li:not(.same)").first
    seen.page.add_style_tag(content=LAID_OUT)
    heard = pair.locator(".by").evaluate_all("(all) => all.map((each) => each.innerText.split(/\\s+/).slice(0, 3))")
    assert heard == [["1", "Agent", "1.0.0"], ["1", "Agent", "1.1.0"]]
    same = seen.page.locator("details.flip[open] .pairs > li.same").first.locator(".side:visible .by")
    names = same.evaluate_all("(all) => all.map((each) => each.innerText.split(/\\s+/)[2])")
    assert names == (["both"] if width < 640 else ["1.0.0", "1.1.0"])
    assert pair.locator("code.alone").count() == pair.locator(".badge:has-text('only here') + code.alone").count() == 2


def test_a_chart_says_what_it_shows(visit: Open, usual_page: str) -> None:
    page = visit(usual_page).page
    said = [chart.get_attribute("aria-label") for chart in page.locator("figure [role=img]").all()]
    for words in (
        "wisdom 0.83, courage 0.62, justice not scored, temperance 0.47", "weak: temperance, courage",
        "wisdom declining", "median",
    ):
        assert any(words in each for each in said), words


def test_axe_finds_nothing(visit: Open, make_data: Make) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    page = visit(render_report(make_data(trials=2, turns=2)), viewport={"width": 390, "height": 900}).page
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    page.add_style_tag(content=LAID_OUT)
    page.evaluate(DRAWN)
    # Contrast takes axe half its time; the next test measures it in both colour schemes.
    options = {"resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": False}}}
    found = axe.run(page, options=options).response["violations"]
    assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(visit: Open, make_data: Make, usual_page: str, scheme: str) -> None:
    for html in (usual_page, render_report(make_data(trials=2, invalid_trials_threshold=0.0))):
        page = visit(html, color_scheme=scheme).page
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
        assert page.evaluate(CONTRAST) == []


CONTRAST = """() => {
  const light = (colour) => {
    const linear = (part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = colour.match(/[\\d.]+/g).map((part) => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (!/, 0\\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const faint = new Set();
  for (const element of document.querySelectorAll("body, body *:not(svg, svg *, script, style)")) {
    const [ink, paper] = [getComputedStyle(element).color, ground(element)];
    const [a, b] = [light(ink), light(paper)].sort((x, y) => y - x);
    const thin = getComputedStyle(element).opacity < 1;
    if (thin || (a + 0.05) / (b + 0.05) < 4.5) faint.add(`${element.tagName} ${element.className} ${ink} on ${paper}`);
  }
  return [...faint];
}"""
