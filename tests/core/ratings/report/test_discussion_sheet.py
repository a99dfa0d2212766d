"""The sheet for discussions."""

from collections.abc import Callable
from typing import Any

from analysed_ratings import analyse_rows

from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.reliability.estimate import Resampling
from stoic_assets.core.ratings.report.discussion_sheet import discussion_sheet

QUICK = Resampling(10)

MakeRow = Callable[..., dict[str, Any]]


def test_a_split_item_comes_with_its_texts_marks_and_comments(make_row: MakeRow) -> None:
    rows = [
        make_row("a", "one", 1, 2, 3, 4, None, overall="no", comments="Cold."), make_row("b", "one", 5, overall="yes"),
        make_row("c", "one", None, overall=None), make_row("a", "two", 3), make_row("b", "two", 3),
        make_row("d", "one", None, overall="maybe"),
    ]  # fmt: skip
    sheet = discussion_sheet(analyse_rows(rows, {"one": RatedItem(input="I failed.\nAgain.", reply="Begin.")}, QUICK))
    assert "## 1. one" in sheet
    assert "two" not in sheet.partition("## 1.")[2]
    assert "Split on: appropriateness, helpfulness, overall." in sheet
    assert "> I failed.\n> Again." in sheet
    assert "| a | 1 | 2 | 3 | 4 | – | no |" in sheet
    assert "| b | 5 | 5 | 5 | 5 | 5 | yes |" in sheet
    assert "| c |" not in sheet
    assert "| d | – | – | – | – | – | maybe |" in sheet
    assert [line for line in sheet.splitlines() if line.startswith("- ")] == ["- a: Cold."]


def test_the_greatest_disagreement_comes_first_and_the_rest_is_counted(make_row: MakeRow) -> None:
    rows = [make_row("a", f"item{n}", 1) for n in range(4)]
    rows += [make_row("b", f"item{n}", *([5] * n + [4] * (5 - n))) for n in range(4)]
    sheet = discussion_sheet(analyse_rows(rows, resampling=QUICK), most=2)
    assert sheet.index("## 1. item3") < sheet.index("## 2. item2")
    assert "## 3." not in sheet
    assert "2 more items are split." in sheet
    assert "1 more item is split." in discussion_sheet(analyse_rows(rows, resampling=QUICK), most=3)
    assert "more item" not in discussion_sheet(analyse_rows(rows, resampling=QUICK), most=4)


def test_it_names_the_page_that_was_rated(make_row: MakeRow) -> None:
    analysis = analyse_rows([make_row("a", "one", 1), make_row("b", "one", 5)], resampling=QUICK)
    assert "Page: p\\*1\n" in discussion_sheet(analysis)


def test_foreign_text_sets_up_no_structure(make_row: MakeRow) -> None:
    text = "# Title\n===\n\n| a | b |\n[link](http://evil) <b>bold</b> `code`"
    rows = [make_row("a|b", "one", 1, comments=text), make_row("b", "one", 5)]
    sheet = discussion_sheet(analyse_rows(rows, {"one": RatedItem(reply=text)}, QUICK))
    assert "> \\# Title\n> \\===\n" in sheet
    assert "<b>" not in sheet
    assert "[link](http" not in sheet
    assert "| a\\|b |" in sheet


def test_the_lines_of_a_comment_stay_lines_of_its_item(make_row: MakeRow) -> None:
    rows = [make_row("a", "one", 1, comments="Cold.\n\n- too short\n"), make_row("b", "one", 5)]
    sheet = discussion_sheet(analyse_rows(rows, resampling=QUICK))
    assert "\n- a: Cold.  \n  \\- too short\n" in sheet


def test_agreement_leaves_nothing_to_discuss(make_row: MakeRow) -> None:
    rows = [make_row(rater, "one", 4) for rater in "abc"]
    assert "no item is split" in discussion_sheet(analyse_rows(rows, resampling=QUICK))
