"""What is found of items: their means, and on what raters are split."""

from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.ratings.rating_table import rating_table
from stoic_assets.core.ratings.report.charts import distributions
from stoic_assets.core.ratings.report.item_findings import best_and_worst, disagreements, item_findings

MakeRow = Callable[..., dict[str, Any]]


def test_the_mean_is_over_dimensions_whatever_their_number_of_marks(make_row: MakeRow) -> None:
    rows = [make_row("a", "one", 2, 2, 2, 2, 5), make_row("b", "one", 2, 2, 2, 2, None), make_row("c", "none", None)]
    [found] = item_findings(rating_table(rows))
    assert (found.test_id, found.raters) == ("one", 2)
    assert found.mean == pytest.approx((2 * 4 + 5) / 5)
    assert found.disagreement == pytest.approx(0)


def test_items_are_split_by_marks_three_apart_or_by_yes_and_no(make_row: MakeRow) -> None:
    rows = [
        make_row("a", "calm", 2, overall="yes"), make_row("b", "calm", 4, overall="maybe"),
        make_row("a", "split", 1, 3, 3, 3, 3), make_row("b", "split", 4, 3, 3, 3, 3),
        make_row("a", "torn", 3, overall="yes"), make_row("b", "torn", 3, overall="no"),
        make_row("a", "alone", 1, overall="yes"),
    ]  # fmt: skip
    found = {item.test_id: item for item in item_findings(rating_table(rows))}
    assert {name: item.split for name, item in found.items()} == {
        "calm": (), "split": ("appropriateness",), "torn": ("overall",), "alone": (),
    }  # fmt: skip
    assert found["split"].disagreement == pytest.approx(1.5**2 / 5)
    assert [item.test_id for item in disagreements(list(found.values()))] == ["split", "torn"]


def test_best_and_worst_share_no_item(make_row: MakeRow) -> None:
    findings = item_findings(rating_table([make_row("a", f"item-{mark}", mark) for mark in (1, 2, 3, 4, 5)]))
    best, worst = best_and_worst(findings, 10)
    assert [item.mean for item in best] == [5, 4]
    assert [item.mean for item in worst] == [1, 2]
    assert best_and_worst(findings[:1], 10) == ([], [])


def test_distributions_count_levels_and_what_is_missing(make_row: MakeRow) -> None:
    rows = [make_row("a", "one", 1, overall="yes"), make_row("b", "one", 5, 5, 5, 5, None, overall="no")]
    found = {of.question: of for of in distributions(rating_table(rows))}
    assert found["helpfulness"].counts == (1, 0, 0, 0, 1)
    assert (found["helpfulness"].mean, found["helpfulness"].sd) == (3, 2)
    assert (found["actionability"].counts, found["actionability"].missing) == ((1, 0, 0, 0, 0), 1)
    assert found["overall"].counts == (1, 0, 1)
    assert distributions(rating_table([]))[0].mean is None
