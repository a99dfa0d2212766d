"""The page in a real browser: nothing runs, nothing is fetched, nothing overlaps, and its own controls work."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from stoic_assets.core.reports.data import ReportData
from stoic_assets.core.reports.page import report_parts

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
)
HOSTILE = (
    "</p></style></script><script>alert(1)</script><img src=http://127.0.0.1:9/x.png onerror=alert(2)>\"'>"
    "<svg onload=alert(3)><iframe src=javascript:alert(4)></iframe><style>@import 'http://127.0.0.1:9/x.css'</style>"
    "{{ 7 * 7 }}<a href=javascript:alert(5) autofocus onfocus=alert(6)>x</a><meta http-equiv=refresh content='0;url=http://127.0.0.1:9'>"
    "\u202e\x00\ud800<base href=http://127.0.0.1:9/>"
)
LAID_OUT = ".trial[open], .flip[open] { content-visibility: visible }"
"""Without it nothing is laid out that is far out of view."""
PAPER = 700
"""A4 between its margins, in CSS pixels."""
DRAWN = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
"""Once a frame is drawn, the page knows the sizes of what is in it."""
AT_THE_TOP = """(id) => {
  const top = document.getElementById(id).getBoundingClientRect().top;
  const ends = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
  return 0 <= top && top <= (ends ? innerHeight : 200);
}"""
Make = Callable[..., ReportData]
Open = Callable[..., "Visit"]

pytestmark = [pytest.mark.long, pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH")]


def render_report(data: ReportData) -> str:
    """The page in one piece."""
    return "".join(report_parts(data))


@dataclass
class Visit:
    """An open page and what it did that it should not."""

    page: Any
    offences: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One headless Chromium for this module."""
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


def test_hostile_text_does_nothing(visit: Open, make_data: Make, put_text: Make) -> None:
    seen = visit(render_report(put_text(make_data(trials=3, turns=4), HOSTILE)))
    seen.page.click("#trial-toggle")
    seen.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    seen.page.wait_for_timeout(200)
    assert seen.offences == []
    assert seen.page.locator("script").count() == 1
    assert seen.page.locator("iframe, img, base, [onerror], [onload], [autofocus]").count() == 0
    for place in (".trial .said", ".flip .side:first-child .said", ".verdict-box"):
        assert "<img src=http://127.0.0.1:9/x.png onerror=alert(2)>" in seen.page.locator(place).first.text_content()


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (390, "dark"), (1280, "light"), (1280, "dark")])
def test_nothing_sticks_out_or_overlaps(visit: Open, usual_page: str, width: int, scheme: str) -> None:
    seen = visit(usual_page, viewport={"width": width, "height": 900}, color_scheme=scheme)
    seen.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.page.evaluate(OVERLAPS) == []
    assert seen.offences == []


def test_an_expanded_page_is_about_as_long_as_it_turns_out_to_be(visit: Open, make_data: Make) -> None:
    seen = visit(render_report(make_data(trials=200, turns=8)))
    seen.page.click("#trial-toggle")
    length = "document.documentElement.scrollHeight"
    estimated = seen.page.evaluate(length)
    seen.page.add_style_tag(content=LAID_OUT)
    assert 1 / 3 < estimated / seen.page.evaluate(length) < 3


@pytest.mark.parametrize("width", [390, 1280])
def test_no_label_of_a_chart_is_cut_or_stands_on_another(visit: Open, make_data: Make, width: int) -> None:
    data = make_data(trials=2, turns=2)
    assert data.base
    unmeasured = [
        row | {"difference": -0.6 if row["measure"] == "task" else None, "low": None, "high": None, "p": None}
        for row in data.version_comparisons
    ]
    releases = [row | {"agent_version": f"{row['agent_version']}-rc.2026-11-22"} for row in data.virtue_trends]
    not_scored = [row | {"score": None, "confidence": None} for row in data.evaluation_virtues]
    changed = replace(
        data, version_comparisons=unmeasured, virtue_trends=releases, evaluation_virtues=not_scored,
        base=replace(data.base, evaluation_virtues=()),
    )
    for page in (data, changed):
        seen = visit(render_report(page), viewport={"width": width, "height": 900})
        assert seen.page.locator("figure svg").count() == 5
        assert seen.page.evaluate(BAD_LABELS) == []


BAD_LABELS = """() => {
  const bad = [];
  for (const chart of document.querySelectorAll("figure svg")) {
    const paper = chart.getBoundingClientRect();
    const labels = [...chart.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
    for (const [place, [text, a]] of labels.entries()) {
      if (a.left < paper.left - 1 || a.right > paper.right + 1 || a.top < paper.top - 1 || a.bottom > paper.bottom + 1)
        bad.push(`${text} is cut`);
      for (const [other, b] of labels.slice(place + 1))
        if (a.bottom > b.top + 3 && a.top < b.bottom - 3 && a.right > b.left && a.left < b.right)
          bad.push(`${text} stands on ${other}`);
    }
  }
  return bad;
}"""

OVERLAPS = """() => {
  const kinds = ".cards, main > section, .card, .columns, .columns > *, .chat > li, details.trial, details.flip, "
    + ".verdict-box, .verdict-box > *, .side, .pairs > li, .evidence, .changes > li, .findings tr";
  const clashes = [];
  for (const block of document.querySelectorAll(kinds)) {
    const next = block.nextElementSibling;
    if (!next) continue;
    const a = block.getBoundingClientRect(), b = next.getBoundingClientRect();
    const meet = a.bottom > b.top + 1 && a.top < b.bottom - 1 && a.right > b.left + 1 && a.left < b.right - 1;
    if (meet) clashes.push(block.outerHTML.slice(0, 80));
  }
  return clashes;
}"""


def test_trials_are_found_filtered_and_reached_by_links(visit: Open, usual_page: str) -> None:
    page = visit(usual_page).page
    for words, found in {'"hard-proof · withheld · 1"': 1, "withheld hard-proof": 2, "max_turns": 1, '"': 20}.items():
        page.fill("#trial-search", words)
        assert page.locator("details.trial:visible").count() == found
    page.fill("#trial-search", "")
    page.check("#trial-troubled")
    assert 0 < page.locator("details.trial:visible").count() < 20
    not_passed = page.locator("details.trial", has=page.locator(".badge:text-is('not passed')"))
    assert 0 < not_passed.count() < 20
    assert all(trial.is_visible() for trial in not_passed.all())
    page.fill("#trial-search", "no such words")
    page.locator("#failures td.links a").first.click()
    page.locator("details.trial[open]:visible").wait_for(timeout=5_000)  # one; more would be an error
    assert page.inner_text("#trial-shown") == "1 of 20 shown"


@pytest.mark.parametrize("width", [390, 1280])
def test_the_hint_in_the_search_field_is_not_cut(visit: Open, usual_page: str, width: int) -> None:
    field = visit(usual_page, viewport={"width": width, "height": 900}).page.locator("#trial-search")
    field.fill(field.get_attribute("placeholder"))
    assert field.evaluate("(each) => each.scrollWidth <= each.clientWidth")


@pytest.mark.parametrize("accented", ["caf\u00e9", "cafe\u0301"])
def test_an_accent_is_found_in_either_form(visit: Open, make_data: Make, put_text: Make, accented: str) -> None:
    page = visit(render_report(put_text(make_data(trials=2), f" {accented}"))).page
    for words in ("caf\u00e9", "CAFE\u0301"):
        page.fill("#trial-search", words)
        assert page.locator("details.trial:visible").count() == page.locator("details.trial").count() > 0


@pytest.mark.parametrize(("width", "columns"), [(390, 1), (1280, 2)])
def test_flipped_jobs_are_reached_from_the_first_screen_and_stack_on_phones(
    visit: Open, usual_page: str, width: int, columns: int
) -> None:
    page = visit(usual_page, viewport={"width": width, "height": 900}).page
    assert page.locator("details.flip").count() > page.locator("details.flip[open]").count() == 1
    page.locator(".changes a").nth(2).click()
    opened = page.locator("details.flip[open]").nth(1)
    opened.wait_for(state="visible", timeout=5_000)
    sides = opened.locator(".evidence.differs .side")
    assert len({round(sides.nth(place).bounding_box()["x"]) for place in (0, 1)}) == columns


@pytest.mark.parametrize("width", [390, 1280])
def test_links_end_at_their_target(visit: Open, usual_page: str, width: int) -> None:
    """What opens on the way, or is laid out for the first time, moves what is below it."""
    page = visit(usual_page, viewport={"width": width, "height": 900}).page
    links = page.locator("nav a, .changes a, #jobs td a, #virtues blockquote + p a")
    assert links.count() > 12
    for place in range(links.count()):
        page.evaluate("scrollTo(0, 0)")
        links.nth(place).evaluate("(link) => link.click()")
        target = (links.nth(place).get_attribute("href") or "")[1:]
        page.wait_for_function(AT_THE_TOP, arg=target, timeout=5_000)


def test_without_scripts_links_open_their_trial_and_no_dead_control_shows(visit: Open, usual_page: str) -> None:
    page = visit(usual_page, java_script_enabled=False).page
    assert not page.locator("#trial-tools").is_visible()
    page.locator("#failures td.links a").first.click()
    page.locator("details.trial[open] .said").first.wait_for(state="visible", timeout=5_000)


def test_what_is_open_is_printed(visit: Open, usual_page: str) -> None:
    page = visit(usual_page, viewport={"width": PAPER, "height": 1000}).page
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= PAPER
    assert page.locator("details.flip[open] .turn .said").first.is_visible()
    assert not page.locator("details.trial .said").first.is_visible()
    assert not page.locator("nav").is_visible()
    size = "(each) => parseFloat(getComputedStyle(each).fontSize)"
    badge = page.locator("td .badge:visible").first
    assert badge.evaluate(size) <= badge.locator("..").evaluate(size)
    assert page.locator(".note:visible").first.evaluate(size) <= page.locator("body").evaluate(size)


def test_all_that_is_expanded_is_printed_but_for_raw_evidence(visit: Open, usual_page: str) -> None:
    page = visit(usual_page, viewport={"width": PAPER, "height": 1000}).page
    page.click("#trial-toggle")
    page.emulate_media(media="print")
    assert page.locator("details.trial .said").last.is_visible()
    assert page.locator("details.virtue .verdict").last.is_visible()
    assert not page.locator("details.raw pre").first.is_visible()


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


def test_each_paragraph_has_a_direction_of_its_own(visit: Open, make_data: Make) -> None:
    data = make_data(trials=1, turns=2, compared=False)
    turns = [{**row, "content": "سأذكرك غدا.\nIn English, العربية inside."} for row in data.turns]
    page = visit(render_report(replace(data, turns=turns))).page
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    dot = page.locator(".chat .said").first.evaluate("""(said) => {
      const text = said.firstChild, character = document.createRange();
      const place = (at) => {
        character.setStart(text, at);
        character.setEnd(text, at + 1);
        return character.getBoundingClientRect();
      };
      const line = text.data.indexOf("In"), end = text.data.length - 1;
      return [place(line).left - said.getBoundingClientRect().left, place(end).left > place(end - 1).left];
    }""")
    assert dot[0] < 1
    assert dot[1]


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
    assert page.locator("#failures tbody th").first.text_content() == long
    assert page.evaluate(NAMES_IN_PIECES) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


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


def test_what_reads_from_the_right_stays_inside_its_card_and_whole(visit: Open, make_data: Make) -> None:
    data = make_data(trials=1, turns=2, compared=False)
    weak = [{**row, "suggestions": ["لا تقل ذلك (user)."]} for row in data.weak_virtues]
    page = visit(render_report(make_data(trials=1, turns=2, compared=False, weak_virtues=weak))).page
    assert page.locator(".weak ul").first.evaluate("list => parseFloat(getComputedStyle(list).paddingRight)") >= 20
    assert page.locator(".exhibit bdi").first.text_content() == "It keeps to what was asked and says what follows."


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
