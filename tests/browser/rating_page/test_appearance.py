"""What can be seen, hit and heard of the rating page, and that a reply is only text."""

from typing import Any

import pytest

HOSTILE = (
    "</script><script>alert(1)</script><img src=http://127.0.0.1:9/x onerror=alert(2)><b>bold</b> & \u202e {{ 7 * 7 }}"
)
SMALL = """() => [...document.querySelectorAll('button, summary, input, textarea')]
  .filter((each) => each.checkVisibility())
  .map((each) => (each.closest('.levels label, label.check') ?? each))
  .map((each) => [each.outerHTML.slice(0, 80), each.getBoundingClientRect()])
  .filter(([, box]) => box.height < 44 || box.width < 44)
  .map(([name, box]) => `${name} ${box.width}x${box.height}`)"""
NAMELESS = """() => [...document.querySelectorAll('button, input, textarea')]
  .filter((each) => !each.labels?.length && !each.getAttribute('aria-label') && !each.textContent.trim())
  .map((each) => each.outerHTML)"""
BROKEN = """() => [...document.querySelectorAll('.card')].flatMap((card) => {
  const walk = document.createTreeWalker(card, NodeFilter.SHOW_TEXT), broken = [];
  while (walk.nextNode()) for (const word of walk.currentNode.data.matchAll(/\\S+/g)) {
    const range = document.createRange();
    range.setStart(walk.currentNode, word.index);
    range.setEnd(walk.currentNode, word.index + word[0].length);
    if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) broken.push(word[0]);
  }
  return broken;
})"""
COVERS = "(note) => note.textContent !== '' && getComputedStyle(note).clipPath === 'none'"
PALE = """() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const linear = (part) => part / 255 <= .04045 ? part / 255 / 12.92 : ((part / 255 + .055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => .2126 * linear(r) + .7152 * linear(g) + .0722 * linear(b);
  const behind = (node) => {
    const colour = parse(getComputedStyle(node).backgroundColor);
    return colour[3] === 0 ? behind(node.parentElement) : colour;
  };
  const says = (node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
  return [...document.querySelectorAll('body *')]
    .filter((node) => node.checkVisibility() && !node.disabled && says(node))
    .map((node) => [node.outerHTML.slice(0, 80), light(parse(getComputedStyle(node).color)), light(behind(node))])
    .map(([name, a, b]) => [name, (Math.max(a, b) + .05) / (Math.min(a, b) + .05)])
    .filter(([, ratio]) => ratio < 4.5);
}"""


def test_a_hostile_reply_is_only_read(visit: Any, write_page: Any) -> None:
    rater = visit(write_page(replies=1, reply=HOSTILE)[0])
    rater.practise()
    seen = []
    for _ in range(3):
        seen.append(rater.text("#reply"))
        rater.press("33333m>")
    assert HOSTILE.replace("\u202e", "[U+202E]") + " (0)" in seen
    assert rater.page.locator("blockquote *, img, b:text('bold')").count() == 0


def test_by_touch_the_next_question_comes_into_view(visit: Any, write_page: Any, phone: Any) -> None:
    rater = visit(write_page()[0], **phone)
    rater.page.fill("#rater", "ann")
    rater.page.tap("text=Begin")
    for name in ("appropriateness", "helpfulness", "stoic_authenticity", "emotional_intelligence", "actionability"):
        rater.page.tap(f"label:has(input[name={name}][value='4'])")
    rater.page.tap("label:has(input[name=overall][value=yes])")
    assert rater.page.locator("#next").is_visible()
    assert len(rater.chosen()) == 6
    rater.page.tap("#next")
    assert rater.title == "Practice 2 of 5"
    assert rater.page.evaluate("scrollY") == 0


def test_small_windows_show_help_from_its_top_and_the_comparison_whole(visit: Any, write_page: Any) -> None:
    rater = visit(write_page()[0], viewport={"width": 320, "height": 480})
    rater.enter()
    rater.press("?")
    assert rater.page.evaluate("document.getElementById('help').scrollTop") == 0
    rater.escape()
    rater.press("54543y")
    feedback = rater.page.locator("#feedback")
    assert feedback.evaluate("(card) => card.scrollWidth <= card.clientWidth")


def test_no_word_of_an_anchor_is_broken_at_any_width(rater: Any) -> None:
    rater.enter()
    for width in (320, 390, 720, 768, 1024, 1100, 1200, 1280, 1440):
        rater.page.set_viewport_size({"width": width, "height": 768})
        assert rater.page.evaluate(BROKEN) == [], width
        assert rater.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width


def test_the_list_rings_what_is_begun_and_nothing_else(rater: Any) -> None:
    rater.practise()
    rater.press("12")
    rater.press("l")
    rater.page.click("#numbers button:text-is('3')")
    rater.press("l")
    looks = rater.page.locator("#numbers button").evaluate_all(
        "(all) => all.map((each) => [each, getComputedStyle(each)]).map(([each, { borderWidth, outlineStyle,"
        " textDecorationLine }]) => [each.className, borderWidth, outlineStyle, textDecorationLine])"
    )
    assert looks == [
        *[["rated", "1px", "none", "none"]] * 5, ["begun", "3px", "none", "none"], ["open", "1px", "none", "none"],
        ["open", "1px", "none", "underline"], *[["open", "1px", "none", "none"]] * 2,
    ]


def test_a_number_of_the_list_is_called_by_what_stands_on_it(rater: Any) -> None:
    rater.practise()
    rater.press("l")
    names = rater.page.locator("#numbers button").evaluate_all(
        "(all) => all.map((each) => [each.textContent, each.getAttribute('aria-label')])"
    )
    assert (names[0], names[5]) == (["P1", "P1: Practice 1 of 5, rated"], ["1", "1: Reply 1 of 5, open"])
    assert all(name.startswith(f"{shown}: ") for shown, name in names)


def test_with_colours_of_the_users_own_the_current_question_alone_is_framed(visit: Any, write_page: Any) -> None:
    rater = visit(write_page()[0], forced_colors="active")
    rater.enter()
    rater.press("5")
    page = rater.page.evaluate("getComputedStyle(document.body).backgroundColor")
    frames = rater.page.locator("fieldset").evaluate_all(
        "(all, page) => all.map((each) => getComputedStyle(each).borderColor !== page)", page
    )
    assert frames == [False, True, False, False, False, False]


def test_chosen_answers_are_read_on_paper(rater: Any) -> None:
    rater.enter()
    rater.press("5" + "0")
    rater.page.emulate_media(media="print")
    chosen = rater.page.locator("input:checked + .card").first
    assert chosen.evaluate("(card) => getComputedStyle(card).printColorAdjust") == "exact"
    assert not rater.page.locator("#announcement").is_visible()


@pytest.mark.parametrize(("width", "height"), [(1123, 794), (794, 1123)], ids=["landscape", "portrait"])
def test_on_paper_the_texts_are_whole_and_nothing_covers_them(
    visit: Any, write_page: Any, width: int, height: int
) -> None:
    long = "A line of a long reply.\n" * 120
    rater = visit(write_page(replies=1, reply=long)[0], viewport={"width": width, "height": height})
    rater.practise()
    rater.to_reply("Number 0 troubles me.")
    rater.page.evaluate("scrollTo(0, 1500)")
    rater.page.emulate_media(media="print")
    texts = rater.page.locator(".texts")
    assert texts.evaluate("(node) => [node.scrollHeight <= node.clientHeight, getComputedStyle(node).overflowY]") == [
        True, "visible",
    ]  # fmt: skip
    bar, reply = (rater.page.locator(each).bounding_box() for each in ("#bar", ".texts"))
    assert bar["y"] + bar["height"] <= reply["y"]


def test_an_announcement_covers_the_page_for_some_seconds_and_no_dialog(
    visit: Any, write_page: Any, phone: Any
) -> None:
    rater = visit(write_page()[0], **phone)
    rater.page.clock.install()
    rater.enter()
    note = rater.page.locator("#announcement")
    rater.press("0")
    rater.page.clock.run_for(4_000)
    rater.press("0")
    rater.page.clock.run_for(5_000)
    assert note.evaluate(COVERS)
    rater.page.clock.run_for(5_000)
    assert not note.evaluate(COVERS)
    assert note.text_content() == "This key does not answer the current question."  # what is read out stays to be read
    rater.press("0")
    assert note.evaluate(COVERS)
    rater.press("l")
    assert not note.evaluate(COVERS)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_can_be_seen_hit_and_named(scheme: str, visit: Any, write_page: Any, phone: Any) -> None:
    rater = visit(write_page()[0], color_scheme=scheme, **phone)

    def look() -> None:
        assert rater.page.evaluate(SMALL) == []
        assert rater.page.evaluate(NAMELESS) == []
        assert rater.page.evaluate(PALE) == []
        assert rater.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    look()
    rater.enter()
    rater.press("12")
    look()
    for key in "ls?":
        rater.press(key)
        look()
        rater.escape()
    rater.press("345y")
    look()
    rater.press(">" + "54543y>" * 4)
    look()
