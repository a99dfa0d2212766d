"""A rater's work in files: on another device, and for collection."""

import json
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.core.ratings.rating_file import parse_ratings


def test_work_goes_on_elsewhere_with_the_saved_file(visit: Any, write_page: Any, tmp_path: Path, phone: Any) -> None:
    file, _ = write_page()
    here = visit(file)
    here.practise()
    here.press("12345y>")
    path = here.saved(tmp_path)
    saved = json.loads(path.read_text(encoding="utf-8"))
    title, reply = here.title, here.text("#reply")
    there = visit(file, **phone)
    there.page.set_input_files("#welcome-file", path)
    there.page.wait_for_selector("#rating:visible")
    assert (there.title, there.text("#reply")) == (title, reply)
    assert there.text("#progress-text").startswith("1 of 5 rated")
    there.press("1>")
    there.press("2345y>")
    again = there.save_from_dialog(tmp_path)
    assert again[: len(saved)] == saved
    assert len(again) == len(saved) + 1
    assert {rating["rater_id"] for rating in again} == {"ann"}


def test_a_saved_file_with_nothing_but_practice_ends_where_practice_does(
    visit: Any, write_page: Any, tmp_path: Path
) -> None:
    file, _ = write_page()
    here = visit(file)
    here.practise()
    path = here.saved(tmp_path)
    there = visit(file)
    there.page.set_input_files("#welcome-file", path)
    there.page.wait_for_selector("#unlock:visible")
    assert there.text("#progress-text") == "Practice: 5 of 5 done"


@pytest.mark.parametrize(
    ("corrected_at", "dated"),
    [("2026-03-01T09:00:00Z", "2026-03-01T10:0"), ("2026-02-27T09:00:00Z", "2026-02-27T09:0")],
    ids=["hour", "more than a day"],
)
def test_a_correction_counts_where_the_clock_is_behind_that_of_what_it_corrects(
    visit: Any, write_page: Any, tmp_path: Path, corrected_at: str, dated: str
) -> None:
    """What is dated more than a day ahead is refused at collection, so that a correction counts by its own date."""
    file, _ = write_page()
    ahead = visit(file)
    ahead.page.clock.set_system_time("2026-03-01T10:00:00Z")
    ahead.enter()
    ahead.press("54543y>")
    path = ahead.saved(tmp_path)
    behind = visit(file)
    behind.page.clock.set_system_time(corrected_at)
    behind.page.set_input_files("#welcome-file", path)
    behind.page.wait_for_selector("#rating:visible")
    behind.press("b1")
    [before], [corrected] = json.loads(path.read_text(encoding="utf-8")), behind.save_from_dialog(tmp_path)
    assert corrected["ratings"] == before["ratings"] | {"appropriateness": 1}
    assert corrected["timestamp"].startswith(dated)
    assert (corrected["timestamp"] > before["timestamp"]) == (dated[:10] == before["timestamp"][:10])


@pytest.mark.parametrize("width", [320, 1360])
def test_what_was_loaded_is_said_for_all_to_see_until_work_goes_on(
    visit: Any, write_page: Any, tmp_path: Path, width: int
) -> None:
    file, _ = write_page()
    here = visit(file)
    here.enter()
    here.press("54543y>")
    path = here.saved(tmp_path)
    there = visit(file, viewport={"width": width, "height": 600})
    note = there.page.locator("#announcement")
    there.page.set_input_files("#welcome-file", path)
    for said in ("1 rating loaded.", "This file contains no rating that is newer than yours here."):
        note.filter(has_text=said).wait_for(state="visible")
        box = note.bounding_box()
        assert box["width"] > 100
        assert (box["x"], box["x"] + box["width"] <= width, box["y"] + box["height"] <= 600) == (16, True, True)
        there.press("1")
        assert there.text("#announcement") == ""
        there.press("s")
        there.page.set_input_files("#dialog-file", path)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "was not saved by a rating page"),
        ("[]", "no ratings"),
        ('[{"test_id": "x"}]', "Rating 1 of this file is damaged"),
        ("other page", "is from another rating page"),
        ("other rater", "belongs to bob; you rate as ann"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_whole(
    content: str, complaint: str, visit: Any, write_page: Any, tmp_path: Path
) -> None:
    file, page = write_page()
    rater = visit(file)
    rater.enter()
    rating = {
        "test_id": "elsewhere" if content == "other page" else page.items[0].test_id, "rater_id": "bob",
        "timestamp": "2026-01-01T00:00:00Z", "overall": "no", "comments": "",
        "ratings": dict.fromkeys(page.practice[0].item.marks, 3),
    }  # fmt: skip
    path = tmp_path / "in.json"
    path.write_text(json.dumps([rating]) if content.startswith("other") else content, encoding="utf-8")
    rater.press("s")
    rater.page.set_input_files("#dialog-file", path)
    rater.page.wait_for_function("() => document.querySelector('[data-problem=dialog-file]').textContent !== ''")
    assert complaint in rater.text("[data-problem=dialog-file]")
    rater.escape()
    assert rater.title == "Practice 1 of 5"
    assert rater.chosen() == {}


def test_what_is_saved_is_what_collection_takes(visit: Any, write_page: Any, tmp_path: Path) -> None:
    file, page = write_page()
    rater = visit(file)
    rater.practise()
    rater.press("1234n" + "y")
    rater.comment('„quoted" \\ and 😀')
    rater.press("s")
    ratings = parse_ratings(rater.save(tmp_path).read_bytes(), "ann.json")
    [rating] = [rating for rating in ratings if not rating.meta.practice]
    assert (rating.ratings.actionability, rating.meta.page_id) == (None, page.page_id)
    assert rating.comments == '„quoted" \\ and 😀'
    assert {rating.test_id for rating in ratings} <= set(page.keys)
    rater.page.click("summary")
    assert json.loads(rater.page.input_value("#text"))[-1]["comments"] == rating.comments


def test_the_file_says_what_it_leaves_out(rater: Any) -> None:
    rater.practise()
    rater.press("s")
    assert rater.text("#file-text").startswith("It contains 0 of 5 rated replies and 5 of 5 for practice. Send it")
    rater.escape()
    rater.press("12345y>" + "cnot yet")
    rater.escape()
    rater.press("l")
    rater.page.click("#numbers button:text-is('3')")
    rater.press("4s")
    assert "It contains 1 of 5 rated replies and 5 of 5 for practice. It leaves out" in rater.text("#file-text")
    assert "replies that are begun and not finished (2)" in rater.text("#file-text")
    assert rater.text("#progress-text").startswith("1 of 5 rated")
