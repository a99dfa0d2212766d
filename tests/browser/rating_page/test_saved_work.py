"""A rater's work in the browser's storage: several windows, several raters, the way back."""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

PRACTICE = 5
DEAF = "addEventListener('storage', (event) => event.stopImmediatePropagation(), true);"
ARRIVES = """isLate = false;
    const key = Object.keys(sessionStorage).find((place) => place.includes(':ann'));
    dispatchEvent(new StorageEvent('storage', { key }));"""
CLOSES = """() => {
  const closing = new Event('beforeunload', { cancelable: true });
  dispatchEvent(closing);
  return !closing.defaultPrevented;
}"""


def full(room: int) -> str:
    """A script that has the browser store no more than `room` characters."""
    return f"""const {{ setItem }} = Storage.prototype;
    Storage.prototype.setItem = function (place, text) {{
      const others = Object.keys(this).filter((key) => key !== place).map((key) => this.getItem(key));
      if (others.join('').length + text.length > {room}) throw new DOMException('no', 'QuotaExceededError');
      setItem.call(this, place, text);
    }};"""


def late(storages: str) -> str:
    """A script that has a page which is loaded again find no work in these storages, until it `ARRIVES`."""
    return f"""window.isLate = performance.getEntriesByType('navigation')[0].type === 'reload';
    const {{ getItem }} = Storage.prototype;
    Storage.prototype.getItem = function (place) {{
      return isLate && place.includes(':ann') && [{storages}].includes(this) ? null : getItem.call(this, place);
    }};"""


def warned(rater: Any) -> tuple[bool, bool]:
    """Whether the page warns at its top, and when it is closed."""
    return rater.page.locator("#unsaved").is_visible(), not rater.page.evaluate(CLOSES)


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and says nothing."""

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of the test's folder: only what comes from a server goes into the back/forward cache."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as serving:
        thread = Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{serving.server_address[1]}"
        serving.shutdown()
        thread.join()


def test_two_people_may_share_a_browser(rater: Any) -> None:
    rater.enter("ann")
    rater.press("123")
    rater.give_way()
    rater.enter("bob")
    assert rater.chosen() == {}
    rater.press("5")
    rater.give_way()
    rater.enter("ANN")
    assert rater.chosen() == {"appropriateness": "1", "helpfulness": "2", "stoic_authenticity": "3"}


def test_two_windows_do_not_overwrite_each_other(visit: Any, write_page: Any) -> None:
    file, _ = write_page()
    first = visit(file)
    first.enter()
    second = first.another_window()
    second.press("12")
    first.hears_of(second)
    first.page.focus("fieldset[data-question=stoic_authenticity]")
    first.press("3")
    second.hears_of(first)
    second.reload()
    assert second.chosen() == {"appropriateness": "1", "helpfulness": "2", "stoic_authenticity": "3"}


def test_a_page_that_comes_back_from_the_browser_s_history_takes_up_what_was_rated_since(
    visit: Any, write_page: Any, server: str
) -> None:
    file, _ = write_page()
    rater = visit(file, address=f"{server}/{file.name}")
    rater.practise()
    rater.press("12345y>" + "1")
    rater.page.evaluate("addEventListener('pageshow', () => { window.isBack = true; })")
    rater.page.goto("about:blank")
    rater.page.goto(f"{server}/{file.name}")
    rater.press("2345y" + "cwise")
    rater.escape()
    rater.press(">" + "54")
    before = rater.title, rater.text("#progress-text"), rater.chosen()
    rater.page.evaluate("history.go(-2)")
    rater.page.wait_for_function("() => window.isBack")
    assert (rater.title, rater.text("#progress-text"), rater.chosen()) == before
    rater.press("b")
    assert (len(rater.chosen()), rater.page.input_value("#comment")) == (6, "wise")
    rater.reload()
    assert (rater.title, rater.text("#progress-text"), rater.chosen()) == before


def test_the_time_away_from_a_page_that_comes_back_is_of_no_reply(rater: Any, tmp_path: Path) -> None:
    """Not every browser tells a page that it is hidden before it goes into the history."""
    rater.page.clock.install()
    rater.page.reload()
    rater.practise()
    rater.page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    rater.page.clock.fast_forward(20_000)
    rater.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    rater.press("12345y")
    assert all(each["meta"]["seconds"] < 5 for each in rater.save_from_dialog(tmp_path))


def test_a_window_that_comes_into_view_takes_up_what_it_did_not_hear_of(visit: Any, write_page: Any) -> None:
    first = visit(write_page()[0], script=DEAF)
    first.enter()
    second = first.another_window()
    second.press("12")
    first.can_read(second)
    first.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    first.page.focus("fieldset[data-question=stoic_authenticity]")
    first.press("3")
    second.hears_of(first)
    second.reload()
    assert second.chosen() == {"appropriateness": "1", "helpfulness": "2", "stoic_authenticity": "3"}


def test_a_window_that_heard_of_nothing_replaces_no_answer_of_another(visit: Any, write_page: Any) -> None:
    first = visit(write_page()[0], script=DEAF)
    first.enter()
    second = first.another_window()
    second.press("54543y>" + "12")
    first.can_read(second)
    first.page.focus("fieldset[data-question=helpfulness]")
    first.press("1")
    first.reload()
    assert (first.title, first.chosen()) == ("Practice 2 of 5", {"appropriateness": "1", "helpfulness": "2"})
    first.press("b")
    assert [*first.chosen().values()] == ["5", "1", "5", "4", "3", "yes"]


def test_work_that_the_browser_is_late_with_is_taken_up_when_it_arrives(visit: Any, write_page: Any) -> None:
    rater = visit(write_page()[0], script=late("sessionStorage, localStorage"))
    rater.practise()
    rater.press("12345y>" + "12")
    before = rater.title, rater.chosen()
    rater.page.reload()
    assert (rater.title, rater.chosen()) == ("Practice 1 of 5", {})
    rater.page.evaluate(ARRIVES)
    assert (rater.title, rater.chosen()) == before


@pytest.mark.parametrize("storages", ["localStorage", "sessionStorage, localStorage"])
def test_an_answer_that_is_given_while_the_browser_is_late_replaces_no_other(
    storages: str, visit: Any, write_page: Any
) -> None:
    rater = visit(write_page()[0], script=late(storages))
    rater.practise()
    rater.press("12345y>" + "12")
    rater.page.reload()
    rater.press("5")
    rater.page.evaluate(ARRIVES)
    rater.press("l")
    rater.page.locator("#numbers button").last.click()
    rater.press("b" * 4)
    assert rater.text("#progress-text").startswith("1 of 5 rated")
    assert [*rater.chosen().values()][:2] == ["1", "2"]


def test_two_windows_keep_two_raters_apart(visit: Any, write_page: Any) -> None:
    ann = visit(write_page()[0])
    ann.enter("ann")
    ann.press("12")
    bob = ann.another_window()
    bob.give_way()
    bob.page.reload()
    assert bob.page.locator("#welcome").is_visible()
    bob.enter("bob")
    bob.press("5")
    for rater, name, marks in ((ann, "ann", ["1", "2"]), (bob, "bob", ["5"])):
        rater.reload()
        assert [*rater.chosen().values()] == marks
        assert rater.text("#bar").strip().startswith(f"{name}: Practice")


def test_a_comment_stays_with_its_reply_however_the_next_one_is_opened(rater: Any) -> None:
    rater.practise()
    rater.press("12345yc")
    rater.page.keyboard.type("wise")
    rater.page.evaluate("document.getElementById('next').click()")  # the focus stays in the field
    assert (rater.title, rater.page.input_value("#comment")) == ("Reply 2 of 5", "")
    rater.press("b")
    assert rater.page.input_value("#comment") == "wise"


def test_without_storage_the_page_says_so_and_works_on(visit: Any, write_page: Any, tmp_path: Path) -> None:
    rater = visit(write_page()[0], script=full(room=0))
    rater.practise()
    assert rater.page.locator("#unsaved").is_visible()
    rater.press("12345y>")
    assert len(rater.save_from_dialog(tmp_path)) == PRACTICE + 1


def test_without_storage_closing_is_warned_of_until_a_file_holds_everything(
    visit: Any, write_page: Any, tmp_path: Path
) -> None:
    rater = visit(write_page()[0], script=full(room=0))
    rater.enter()
    assert warned(rater) == (True, False)
    rater.press("5454")
    assert warned(rater) == (True, True)
    rater.press("3y")
    rater.save_from_dialog(tmp_path)
    assert warned(rater) == (True, False)
    rater.press(">")
    rater.comment("not yet")
    assert warned(rater) == (True, True)


def test_of_work_that_is_not_stored_the_page_warns_while_another_rater_is_at_it(visit: Any, write_page: Any) -> None:
    rater = visit(write_page()[0], script=full(room=300))  # a name fits, and work of which there is little
    rater.practise("ann")
    rater.give_way()
    assert warned(rater) == (True, True)
    rater.enter("bob")
    assert warned(rater) == (True, True)
    rater.give_way()
    rater.enter("ann")
    assert rater.text("#progress-text").startswith("0 of 5 rated")
