"""The course of a study on the rating page: the name, practice, order, and time."""

from pathlib import Path
from typing import Any

PRACTICE = 5
LOOK_AWAY = """let away = false;
Object.defineProperty(document, 'hidden', { get: () => away });
addEventListener('away', () => { away = !away; document.dispatchEvent(new Event('visibilitychange')); });"""

RATE_ALL = """(items) => Array.from({ length: items }, () => {
  const reply = document.getElementById('reply').textContent;
  for (const key of '33333m') document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  document.getElementById('next').click();
  return reply;
})"""


def test_a_name_that_does_not_fit_is_asked_for_again(rater: Any) -> None:
    rater.enter("../ann b")
    assert rater.page.locator("#welcome").is_visible()
    assert rater.text("#rater-problem").startswith("“/” does not fit. Use a–z without accents, 0–9 and _ . - only;")
    for name, misfit in (("ann b", "A space"), ("René", "“é”"), ("a\u200cb", "The character U+200C")):
        rater.page.fill("#rater", name)
        rater.press(">")
        assert rater.text("#rater-problem").startswith(f"{misfit} does not fit.")
    assert "a–z without accents" in rater.text("#rater-hint")
    assert rater.page.evaluate("document.activeElement.id") == "rater"


def test_an_id_is_taken_whole_or_not_at_all(rater: Any) -> None:
    rater.enter("a" * 65)
    assert "64 characters at most" in rater.text("#rater-problem")
    for end in "xy":  # ids that differ in their last character are two people
        rater.page.fill("#rater", "a" * 63 + end)
        rater.press(">")
        assert rater.text("#rater-name") == "a" * 63 + end
        assert rater.chosen() == {}
        rater.press("1")
        rater.give_way()


def test_practice_compares_and_has_to_come_first(visit: Any, write_page: Any) -> None:
    file, page = write_page()
    rater = visit(file)
    rater.enter()
    assert rater.page.locator("#feedback").is_hidden()
    rater.press("l")
    assert rater.page.locator("#numbers button").count() == PRACTICE
    rater.escape()
    rater.press("54543y")
    assert rater.page.locator("#feedback").is_visible()
    cells = [row.locator("td").all_text_contents() for row in rater.page.locator("#side-by-side tr").all()]
    assert cells[0] == ["5", str(page.practice[0].item.marks["appropriateness"])]
    assert cells[5] == ["Yes", page.practice[0].item.overall.capitalize()]
    assert rater.text("#feedback-text") == page.practice[0].item.feedback
    rater.press(">" + "54543y>" * 4)
    assert rater.text("#practised-text").endswith("of your 25 marks are equal to the reference or next to it.")
    rater.page.keyboard.press("Tab")
    rater.press(">l")
    assert rater.page.locator("#numbers button").count() == PRACTICE + len(page.items)


def test_each_rater_has_an_order_of_their_own_and_repeats_are_apart(visit: Any, write_page: Any) -> None:
    file, page = write_page(replies=24)
    orders = {}
    for visit_number, (name, items) in enumerate((("ann", 31), ("bob", 31), ("ann", 3))):
        rater = visit(file)
        rater.practise(name)
        orders[visit_number] = rater.page.evaluate(RATE_ALL, items)
    assert len(page.items) == 31
    assert orders[0][:3] == orders[2] != orders[1][:3]
    assert sorted(orders[0]) == sorted(orders[1])
    for order in (orders[0], orders[1]):
        twice = {text for text in order if order.count(text) == 2}
        assert len(twice) == 5
        assert all(order[::-1].index(text) + order.index(text) < len(order) - 4 for text in twice)


def test_only_active_time_counts(visit: Any, write_page: Any, tmp_path: Path) -> None:
    rater = visit(write_page()[0], script=LOOK_AWAY)
    rater.page.clock.install()
    rater.page.reload()
    rater.practise()
    rater.page.clock.fast_forward(10_000)
    rater.press("1")
    rater.page.evaluate("dispatchEvent(new Event('away'))")
    rater.page.clock.fast_forward(1000_000)
    rater.page.evaluate("dispatchEvent(new Event('away'))")
    rater.page.clock.fast_forward(5_000)
    rater.press("2345y")
    [rating] = [each for each in rater.save_from_dialog(tmp_path) if not each["meta"]["practice"]]
    assert 15 <= rating["meta"]["seconds"] < 17
    rater.page.clock.fast_forward(3600_000)  # nobody there
    rater.press("u")
    rater.press("n")
    [rating] = [each for each in rater.save_from_dialog(tmp_path) if not each["meta"]["practice"]]
    assert 15 + 30 <= rating["meta"]["seconds"] < 15 + 45


def test_time_left_follows_the_rater_s_own_pace(visit: Any, write_page: Any) -> None:
    file, page = write_page(replies=10)
    rater = visit(file)
    rater.page.clock.install()
    rater.page.reload()
    rater.practise()
    for _ in range(4):
        rater.page.clock.fast_forward(25_000)
        rater.press("33333m>")
    minutes = round(25 * (len(page.items) - 4) / 60)
    assert rater.text("#progress-text") == f"4 of {len(page.items)} rated, about {minutes} min left"
