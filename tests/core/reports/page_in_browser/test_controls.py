"""What a reader of the page does in a real browser: searches, filters, follows links, prints."""

import pytest
from rendered_page import Make, render_report
from visited_page import IN_CHROMIUM, PAPER, Open

pytestmark = IN_CHROMIUM
AT_THE_TOP = """(id) => {
  const top = document.getElementById(id).getBoundingClientRect().top;
  const ends = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
  return 0 <= top && top <= (ends ? innerHeight : 200);
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
    page.locator("#failures summary").first.click()
    page.locator("#failures td a:visible").first.click()
    page.locator("details.trial[open]:visible").wait_for()  # one; more would be an error
    assert page.inner_text("#trial-shown") == "1 of 20 shown"


def test_the_search_finds_values_and_not_their_labels(visit: Open, usual_page: str) -> None:
    page = visit(usual_page).page
    page.fill("#trial-search", "failed")
    failed = page.locator("details.trial:visible")
    assert 0 < failed.count() < 20
    assert all("failed" in summary.text_content() for summary in failed.locator("> summary").all())
    session = page.locator("details.trial .facts dd").last.text_content()
    page.fill("#trial-search", session)
    assert page.locator("details.trial:visible").count() == 1


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
    opened.wait_for(state="visible")
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
        page.wait_for_function(AT_THE_TOP, arg=target)


def test_without_scripts_links_open_their_trial_and_no_dead_control_shows(visit: Open, usual_page: str) -> None:
    page = visit(usual_page, java_script_enabled=False).page
    assert not page.locator("#trial-tools").is_visible()
    page.locator("#failures summary").first.click()
    page.locator("#failures td a:visible").first.click()
    page.locator("details.trial[open] .said").first.wait_for(state="visible")


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
