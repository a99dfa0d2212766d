"""The field for comments, near its limit and beyond it."""

import json
from pathlib import Path
from typing import Any

from stoic_assets.core.ratings.rating_file import parse_ratings

ELSEWHERE = """(text) => {
  const field = Object.assign(document.createElement('textarea'), { value: text });
  document.body.append(field);
  field.select();
}"""


def paste(rater: Any, text: str) -> None:
    """Pastes a text that was copied elsewhere into the comment, at its end."""
    rater.page.evaluate(ELSEWHERE, text)
    rater.page.keyboard.press("Control+c")
    rater.page.evaluate("document.body.lastChild.remove()")
    rater.page.focus("#comment")
    rater.page.keyboard.press("Control+End")
    rater.page.keyboard.press("Control+v")


def test_near_its_limit_a_comment_says_how_much_still_fits_and_what_was_cut(rater: Any, tmp_path: Path) -> None:
    rater.practise()
    rater.press("12345yc")
    told = rater.page.locator("#comment-room")
    paste(rater, "a" * 3599)
    assert told.text_content() == ""
    rater.page.keyboard.type("b")
    assert told.text_content() == "At most 400 more characters fit."
    assert (told.is_visible(), told.get_attribute("role")) == (True, "status")
    paste(rater, "c" * 355)
    assert told.text_content() == "At most 50 more characters fit."
    paste(rater, "d" * 1045)
    assert told.text_content() == "1,000 more than fit: a comment has at most 4,000 characters. The rest was cut off."
    rater.page.keyboard.press("Backspace")
    assert told.text_content() == "At most 10 more characters fit."
    rater.escape()
    rater.press(">")
    assert told.text_content() == ""
    [rating] = [each for each in rater.save_from_dialog(tmp_path) if not each["meta"]["practice"]]
    assert rating["comments"] == "a" * 3599 + "b" + "c" * 355 + "d" * 44


def test_a_longer_comment_from_elsewhere_is_kept_whole(visit: Any, write_page: Any, tmp_path: Path) -> None:
    file, page = write_page()
    marks = dict(page.practice[0].item.marks)
    rating = {
        "test_id": page.practice[0].test_id, "rater_id": "ann", "timestamp": "2026-01-01T00:00:00Z", "overall": "no",
        "comments": "x" * 5000, "ratings": marks | {"actionability": 3},
    }  # fmt: skip
    path = tmp_path / "long.json"
    path.write_text(json.dumps([rating]), encoding="utf-8")
    assert len(parse_ratings(path.read_bytes(), "long.json")[0].comments) == 5000
    rater = visit(file)
    rater.page.set_input_files("#welcome-file", path)
    rater.page.locator("#announcement").filter(has_text="1 rating loaded.").wait_for()
    rater.press("b")
    assert rater.text("#comment-room") == "At most 0 more characters fit."
    rater.press("5>")
    assert len(rater.save_from_dialog(tmp_path)[0]["comments"]) == 5000
