"""The saved file: what is said of it, and which of two answers to the same reply is kept when it is loaded."""

import json
from pathlib import Path
from typing import Any


def load(rater: Any, path: Path, said: str) -> None:
    """Loads a file into the open page, and waits for what is said of it."""
    rater.press("s")
    rater.page.set_input_files("#dialog-file", path)
    rater.page.locator("#announcement").filter(has_text=said).wait_for()


def test_a_key_pressed_by_mistake_does_not_outdo_a_finished_rating(
    visit: Any, write_page: Any, tmp_path: Path
) -> None:
    file, _ = write_page()
    here = visit(file)
    here.practise()
    here.press("12345y>" + "12345n>")
    path = here.saved(tmp_path)
    there = visit(file)
    there.practise()
    there.press("3")
    there.comment("from here")
    load(there, path, "2 ratings loaded. 5 not taken: your own here are newer.")
    assert there.title == "Reply 3 of 5"
    first, second = (each for each in there.save_from_dialog(tmp_path) if not each["meta"]["practice"])
    assert (first["ratings"]["appropriateness"], first["overall"], first["comments"]) == (1, "yes", "from here")
    assert (second["overall"], second["comments"]) == ("no", "")


def test_of_two_finished_ratings_the_newer_one_is_kept_and_the_other_is_told(
    visit: Any, write_page: Any, tmp_path: Path
) -> None:
    file, _ = write_page()
    here = visit(file)
    here.practise()
    here.press("12345y>" * 2)
    path = here.saved(tmp_path)
    ratings = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps([each | {"comments": "older"} for each in ratings]), encoding="utf-8")
    here.press("bb" + "54321n>" + "f")
    load(here, path, "This file contains no rating that is newer than yours here.")
    there = visit(file)
    there.page.set_input_files("#welcome-file", path)
    there.page.locator("#announcement").filter(has_text="7 ratings loaded.").wait_for()
    there.press("bb" + "54321n>" + "f")
    newer = ratings[-1] | {"timestamp": "2999-01-01T00:00:00.000Z"}
    path.write_text(json.dumps([*ratings[:-1], newer]), encoding="utf-8")
    load(there, path, "1 rating loaded. 1 not taken: your own here is newer.")
    own, loaded = (each for each in there.save_from_dialog(tmp_path) if not each["meta"]["practice"])
    assert (own["overall"], loaded["timestamp"]) == ("no", newer["timestamp"])


def test_a_rating_whose_comment_was_kept_counts_before_the_one_in_the_file(
    visit: Any, write_page: Any, tmp_path: Path
) -> None:
    """Of ratings of the same moment, collection keeps the one with more time."""
    file, _ = write_page()
    here = visit(file)
    here.practise()
    here.press("12345y>")
    path = here.saved(tmp_path)
    there = visit(file)
    there.practise()
    there.comment("from here")
    load(there, path, "1 rating loaded.")
    before, after = json.loads(path.read_text(encoding="utf-8"))[-1], there.save_from_dialog(tmp_path)[-1]
    assert (after["timestamp"], after["comments"]) == (before["timestamp"], "from here")
    assert after["meta"]["seconds"] > before["meta"]["seconds"]


def test_the_time_until_a_file_is_loaded_is_of_the_reply_that_is_open(rater: Any, tmp_path: Path) -> None:
    rater.page.clock.install()
    rater.page.reload()
    rater.practise()
    path = rater.saved(tmp_path)
    rater.press("s")
    rater.page.clock.fast_forward(20_000)
    rater.page.set_input_files("#dialog-file", path)
    rater.page.locator("#announcement").filter(has_text="no rating that is newer").wait_for()
    rater.press("12345y")
    first, *_, last = (each["meta"] for each in rater.save_from_dialog(tmp_path))
    assert (first["order_index"], first["practice"], first["seconds"] < 5) == (0, True, True)
    assert (last["practice"], 20 <= last["seconds"] < 25) == (False, True)


def test_saving_says_so_until_something_changes(rater: Any, tmp_path: Path) -> None:
    rater.practise()
    rater.press("12345y>s")
    told = rater.page.locator("#file-saved")
    assert told.text_content() == "Not saved yet."
    name = rater.save(tmp_path).name
    assert told.is_visible()
    assert told.get_attribute("role") == "status"
    assert told.text_content().startswith(f"Saved as {name} (")
    rater.reload()
    rater.press("1s")  # not a finished rating, so not in the file
    assert told.text_content().startswith(f"Saved as {name} (")
    rater.escape()
    rater.press("2345ys")
    assert told.text_content().startswith("Changed since you last saved (")
    rater.save(tmp_path)
    assert told.text_content().startswith(f"Saved as {name} (")
    rater.escape()
    rater.press("us")
    assert told.text_content().startswith("Changed since you last saved (")


def test_at_the_end_it_is_seen_whether_the_last_change_is_saved(visit: Any, write_page: Any, tmp_path: Path) -> None:
    rater = visit(write_page(replies=1)[0])
    rater.practise()
    rater.press("33333m>" * 3)
    told = rater.page.locator("#finished-saved")
    assert (told.is_visible(), told.text_content()) == (True, "Not saved yet.")
    rater.save(tmp_path)
    assert told.text_content().startswith("Saved as ratings-ann-")
    rater.press("l")
    rater.page.click("#numbers button:text-is('3')")
    rater.press("5>f")
    assert told.text_content().startswith("Changed since you last saved (")


def test_what_another_program_took_is_saved_and_what_it_refused_is_not(visit: Any, write_page: Any) -> None:
    share = "navigator.share = () => (window.refused ? Promise.reject() : Promise.resolve());"
    rater = visit(write_page()[0], script=f"navigator.canShare = () => true; {share}")
    rater.practise()
    rater.page.evaluate("window.refused = true")
    rater.press("s")
    rater.page.click("#share")
    assert rater.text("#file-saved") == "Not saved yet."
    rater.page.evaluate("window.refused = false")
    rater.page.click("#share")
    rater.page.locator("#file-saved").filter(has_text="Saved as ratings-ann-").wait_for()
