"""The page in a real browser: nothing runs, nothing is fetched, nothing overlaps or is cut."""

from dataclasses import replace

import pytest
from rendered_page import Make, render_report
from visited_page import DRAWN, IN_CHROMIUM, LAID_OUT, Open

pytestmark = IN_CHROMIUM
HOSTILE = (
    "</p></style></script><script>alert(1)</script><img src=http://127.0.0.1:9/x.png onerror=alert(2)>\"'>"
    "<svg onload=alert(3)><iframe src=javascript:alert(4)></iframe><style>@import 'http://127.0.0.1:9/x.css'</style>"
    "{{ 7 * 7 }}<a href=javascript:alert(5) autofocus onfocus=alert(6)>x</a><meta http-equiv=refresh content='0;url=http://127.0.0.1:9'>"
    "\u202e\x00\ud800<base href=http://127.0.0.1:9/>"
)


def test_hostile_text_does_nothing(visit: Open, make_data: Make, put_text: Make) -> None:
    seen = visit(render_report(put_text(make_data(trials=3, turns=4), HOSTILE)))
    seen.page.click("#trial-toggle")
    seen.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    seen.page.wait_for_load_state("networkidle")
    seen.page.evaluate(DRAWN)
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
        evaluation={**data.evaluation, "agent_version": releases[0]["agent_version"]},
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


def test_each_paragraph_has_a_direction_of_its_own(visit: Open, make_data: Make) -> None:
    data = make_data(trials=1, turns=2, compared=False)
    turns = [{**row, "content": "سأذكرك غدا.\nIn English, العربية inside."} for row in data.turns]
    page = visit(render_report(replace(data, turns=turns))).page
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    dot = page.locator(".chat .said").first.evaluate("""(said) => {
      const text = said.lastElementChild.firstChild, character = document.createRange();
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


def test_what_reads_from_the_right_stays_inside_its_card_and_whole(visit: Open, make_data: Make) -> None:
    data = make_data(trials=1, turns=2, compared=False)
    weak = [{**row, "suggestions": ["لا تقل ذلك (user)."]} for row in data.weak_virtues]
    page = visit(render_report(make_data(trials=1, turns=2, compared=False, weak_virtues=weak))).page
    assert page.locator(".weak ul").first.evaluate("list => parseFloat(getComputedStyle(list).paddingRight)") >= 20
    assert page.locator(".exhibit bdi").first.text_content() == "It keeps to what was asked and says what follows."
