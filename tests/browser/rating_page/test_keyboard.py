"""Keys on the rating page: answers, undo, and what is no answer."""

import json
from pathlib import Path
from typing import Any

import pytest

PRACTICE = 5


def test_every_answer_can_be_changed_and_none_is_counted_twice(rater: Any, tmp_path: Path) -> None:
    rater.practise()
    rater.press("11111n>" + "222")
    rater.press("b")
    assert rater.title.startswith("Reply 1")
    rater.press("y")  # the last question again
    rater.page.keyboard.press("Tab")
    rater.page.focus("fieldset[data-question=helpfulness]")
    rater.press("5f")
    assert rater.title.startswith("Reply 2")
    ratings = rater.save_from_dialog(tmp_path)
    [rating] = [rating for rating in ratings if not rating["meta"]["practice"]]
    assert (rating["ratings"]["helpfulness"], rating["overall"], rating["meta"]["edits"]) == (5, "yes", 2)
    assert rater.chosen() == {"appropriateness": "2", "helpfulness": "2", "stoic_authenticity": "2"}
    assert len({rating["test_id"] for rating in ratings}) == len(ratings) == PRACTICE + 1


def test_digits_change_a_rated_reply_that_is_opened_again(rater: Any) -> None:
    rater.practise()
    rater.press("12345y>" + "b" + "54")
    assert rater.title.startswith("Reply 1")
    assert rater.page.locator("fieldset.current").get_attribute("data-question") == "stoic_authenticity"
    assert rater.chosen() == {
        "appropriateness": "5", "helpfulness": "4", "stoic_authenticity": "3", "emotional_intelligence": "4",
        "actionability": "5", "overall": "yes",
    }
    rater.press("m>b")
    assert rater.chosen()["overall"] == "maybe"
    rater.press(">")
    assert rater.title.startswith("Reply 2")


def test_undo_takes_answers_back_across_items(rater: Any) -> None:
    rater.practise()
    rater.press("12345y>" + "4u")
    assert rater.chosen() == {}
    rater.press("u")
    assert rater.title.startswith("Reply 1")
    assert "overall" not in rater.chosen()
    rater.press("uu")
    assert rater.chosen() == {"appropriateness": "1", "helpfulness": "2", "stoic_authenticity": "3"}
    rater.press("11m>")
    assert rater.title.startswith("Reply 2")


def test_keys_that_are_no_answer_change_nothing(rater: Any) -> None:
    rater.enter()
    rater.press("0ymn679x")
    assert rater.chosen() == {}
    announced = rater.page.locator("#announcement")
    assert announced.text_content() == "This key does not answer the current question."
    assert announced.evaluate("(note) => note.getBoundingClientRect().width > 200")  # for all to see
    rater.press(">")
    assert rater.title == "Practice 1 of 5"
    rater.press("1234n")
    assert announced.text_content() == ""
    assert rater.chosen()["actionability"] == ""
    rater.press("3")
    assert "overall" not in rater.chosen()
    rater.page.keyboard.press("Control+y")
    assert "overall" not in rater.chosen()


def test_keys_do_what_the_buttons_do_between_and_after_the_replies(visit: Any, write_page: Any, tmp_path: Path) -> None:
    file, page = write_page(replies=1)
    rater = visit(file)
    rater.enter()
    for section, rated in (("practised", "54543y>" * PRACTICE), ("finished", ">" + "43512m>" * len(page.items))):
        rater.press(rated)
        for key, dialog in (("l", "list"), ("s", "file"), ("?", "help")):
            rater.press(key)
            assert rater.page.evaluate("document.querySelector('dialog[open]')?.id") == dialog
            assert rater.page.locator("#numbers [aria-current]").count() == 0
            rater.escape()
        rater.press("1ybu")
        assert rater.page.locator(f"#{section}").is_visible()
    assert len(json.loads(rater.save(tmp_path).read_text(encoding="utf-8"))) == PRACTICE + len(page.items)


@pytest.mark.parametrize("way", [">", "f", "l>"], ids=["enter", "first", "list"])
def test_from_practice_the_first_reply_is_one_key_away(way: str, rater: Any) -> None:
    rater.enter()
    rater.press("54543y>" * PRACTICE + way)
    assert rater.title == "Reply 1 of 5"


def test_a_key_that_is_held_answers_once(rater: Any) -> None:
    rater.enter()
    for _ in range(4):  # what a keyboard sends while a key is held
        rater.page.keyboard.down("3")
    rater.page.keyboard.up("3")
    assert rater.chosen() == {"appropriateness": "3"}


def test_digits_need_no_shift_on_any_keyboard(rater: Any) -> None:
    rater.enter()
    for key, code, shift in (("é", "Digit2", False), ("4", "Digit4", True), ("!", "Digit1", True)):
        rater.page.evaluate(
            "(of) => document.body.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, ...of }))",
            {"key": key, "code": code, "shiftKey": shift},
        )
    assert rater.chosen() == {"appropriateness": "2", "helpfulness": "4"}


def test_letters_work_on_keyboards_that_have_other_ones(rater: Any) -> None:
    rater.enter()
    rater.press("12345")

    def press(key: str, code: str) -> None:
        rater.page.evaluate(
            "(of) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, ...of }))",
            {"key": key, "code": code},
        )

    press("н", "KeyY")
    assert rater.chosen()["overall"] == "yes"
    press("г", "KeyU")
    assert "overall" not in rater.chosen()
    press("ä", "KeyY")  # a Latin letter has a place of its own
    press("Dead", "KeyY")
    assert "overall" not in rater.chosen()
    press("؟", "Slash")
    assert rater.page.evaluate("document.querySelector('dialog[open]').id") == "help"


def test_undo_does_not_take_back_a_newer_answer_of_another_window(visit: Any, write_page: Any) -> None:
    first = visit(write_page()[0])
    first.enter()
    first.press("3")
    second = first.another_window()
    second.hears_of(first)
    second.page.focus("fieldset[data-question=appropriateness]")
    second.press("5")
    first.page.wait_for_function("() => document.querySelector('[name=appropriateness][value=\"5\"]').checked")
    assert first.page.locator("#undo").is_disabled()
    first.press("u")
    assert first.chosen() == {"appropriateness": "5"}


def test_undo_is_still_there_when_a_window_comes_back_and_nothing_has_changed(rater: Any) -> None:
    rater.enter()
    rater.press("3")
    rater.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    rater.press("u")
    assert rater.chosen() == {}


def test_single_keys_can_be_switched_off(rater: Any) -> None:
    rater.enter()
    rater.press("?")
    rater.page.uncheck("#shortcuts")
    rater.escape()
    rater.press("3")
    assert rater.chosen() == {}
    rater.page.focus("input[name=helpfulness][value='2']")
    rater.page.keyboard.press("Space")
    rater.page.keyboard.press("ArrowRight")
    assert rater.chosen() == {"helpfulness": "3"}
    rater.reload()
    rater.press("3")
    assert rater.chosen() == {"helpfulness": "3"}
