"""How replies are shown: code and tables, a reply of nothing, and all else as it was written."""

from typing import Any

import pytest

ASKED = "Number 0 troubles me."
CODE = "Sort it:\n\n```python\nif a:\n    b(<i>)\n```\n\nDone."
TABLE = "So:\n| do | for |\n|:--|---|\n| wait \\| see | a long while |\n| act |\n\n> quoted, *not* styled"
STANDS = """(cell) => new Promise((tell) => {
  const last = cell.getBoundingClientRect().x;
  setTimeout(() => tell(cell.getBoundingClientRect().x === last), 100);
})"""
LETTERS = "(node) => getComputedStyle(node).fontFamily"


def replied(visit: Any, write_page: Any, reply: str, **options: Any) -> Any:
    """The element that shows this reply."""
    rater = visit(write_page(replies=1, reply=reply, numbered=False)[0], **options)
    rater.practise()
    rater.to_reply(ASKED)
    return rater.page.locator("#reply")


def wide_table(word: str) -> str:
    """A table of eight columns."""
    return "\n".join(f"|{cell * 8}" for cell in (f"{word}|", "---|", f"{word}|"))


def test_code_is_shown_in_letters_of_one_width_without_its_fences(visit: Any, write_page: Any) -> None:
    shown = replied(visit, write_page, CODE)
    code = shown.locator("pre > code")
    assert code.text_content() == "if a:\n    b(<i>)"
    assert "monospace" in code.evaluate(LETTERS)
    assert "```" not in shown.inner_text()
    assert shown.locator("i").count() == 0


def test_code_that_is_not_closed_goes_on_to_the_end_and_a_longer_fence_holds_a_shorter_one(
    visit: Any, write_page: Any
) -> None:
    shown = replied(visit, write_page, "````\n```\ninner\n```\n````\nbetween\n```\nopen\n")
    assert shown.locator("pre").all_text_contents() == ["```\ninner\n```", "open\n"]


def test_the_columns_of_a_table_stand_below_each_other(visit: Any, write_page: Any) -> None:
    shown = replied(visit, write_page, TABLE)
    rows = [row.locator("th, td").all_text_contents() for row in shown.locator("tr").all()]
    assert rows == [["do", "for"], ["wait | see", "a long while"], ["act"]]
    second = shown.locator("tr > :nth-child(2)")
    assert len(set(second.evaluate_all("(all) => all.map((each) => each.getBoundingClientRect().x)"))) == 1
    assert shown.inner_text().endswith("> quoted, *not* styled")


@pytest.mark.parametrize("reply", ["Rain | sun\n---\nor snow", "`a` and ```b``` in a line", "\n  *as* it | is\n"])
def test_what_is_neither_code_nor_table_stays_as_it_was_written(visit: Any, write_page: Any, reply: str) -> None:
    shown = replied(visit, write_page, reply)
    assert shown.text_content() == reply
    assert shown.locator("*").count() == 0
    assert shown.evaluate("(node) => getComputedStyle(node).unicodeBidi") == "plaintext"


@pytest.mark.parametrize("reply", ["", "  \n\t "])
def test_a_reply_of_nothing_is_told_by_the_page_and_not_by_the_agent(visit: Any, write_page: Any, reply: str) -> None:
    shown = replied(visit, write_page, reply)
    assert shown.text_content() == "Note of this page: nothing was written here, the text is empty."
    assert shown.evaluate("(node) => getComputedStyle(node).backgroundColor") == "rgba(0, 0, 0, 0)"


def test_an_agent_that_speaks_of_an_empty_reply_is_quoted(visit: Any, write_page: Any) -> None:
    shown = replied(visit, write_page, "[an empty reply]")
    assert shown.text_content() == "[an empty reply]"
    assert "silent" not in shown.get_attribute("class")


@pytest.mark.parametrize("width", [360, 1100])
@pytest.mark.parametrize(
    ("word", "arrow"), [("Responsibility", "ArrowRight"), ("الاستراتيجيات", "ArrowLeft")], ids=["English", "Arabic"]
)
def test_all_of_a_table_that_is_wider_than_its_reply_is_reached_by_keyboard(
    visit: Any, write_page: Any, word: str, arrow: str, width: int
) -> None:
    shown = replied(visit, write_page, f"{word}:\n{wide_table(word)}", viewport={"width": width, "height": 700})
    assert shown.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    table = shown.get_by_role("group", name="Table")
    reply, cells = shown.bounding_box(), table.locator("th")
    for cell, presses in ((cells.first, 0), (cells.last, 60)):
        for _ in range(presses):
            table.press(arrow)
        shown.page.wait_for_function(STANDS, arg=cell.element_handle())
        box = cell.bounding_box()
        assert reply["x"] <= box["x"] < box["x"] + box["width"] <= reply["x"] + reply["width"]


def test_a_table_that_needs_no_scrolling_is_no_tab_stop(visit: Any, write_page: Any) -> None:
    assert replied(visit, write_page, TABLE).get_by_role("group", name="Table").get_attribute("tabindex") is None


def test_on_paper_a_wide_table_breaks_its_words_and_is_whole(visit: Any, write_page: Any) -> None:
    shown = replied(visit, write_page, wide_table("Responsibility"), viewport={"width": 700, "height": 900})
    shown.page.emulate_media(media="print")
    assert shown.locator(".scroll").evaluate("(box) => box.scrollWidth <= box.clientWidth")
