"""The charts: SVG that parses, is the same twice, says what it draws, and carries no foreign markup."""

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from analysed_ratings import analyse_rows

from stoic_assets.core.ratings.analysis import RatingAnalysis
from stoic_assets.core.ratings.rating_table import RatingTable
from stoic_assets.core.ratings.reliability.estimate import Resampling
from stoic_assets.core.ratings.report.charts import (
    distribution_chart_svg,
    distributions,
    forest_chart_svg,
    kappa_heat_map_svg,
    leniency_chart_svg,
    rater_kappas,
)

SVG = "{http://www.w3.org/2000/svg}"
CHARTS: dict[str, Callable[..., str]] = {
    "forest": lambda analysis: forest_chart_svg(analysis.dimensions),
    "distribution": lambda analysis: distribution_chart_svg(distributions(analysis.table)[:5]),
    "heat map": lambda analysis: heat_map(analysis.table),
    "leniency": lambda analysis: leniency_chart_svg(analysis.leniency),
}


def heat_map(table: RatingTable) -> str:
    return kappa_heat_map_svg(rater_kappas(table), table.raters)


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.fixture
def analysis(make_study: Callable[..., list[dict[str, Any]]]) -> RatingAnalysis:
    return analyse_rows(make_study(30, 4, missing=0.1), resampling=Resampling(50))


@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)
def test_a_chart_is_the_same_twice_and_takes_the_ink_of_its_page(
    chart: Callable[..., str], analysis: RatingAnalysis
) -> None:
    drawn = chart(analysis)
    assert chart(analysis) == drawn
    assert "currentColor" in drawn
    assert "#010203" not in drawn


def test_the_forest_shows_intervals_and_says_where_there_is_no_figure(analysis: RatingAnalysis) -> None:
    assert "Stoic authenticity" in texts(forest_chart_svg(analysis.dimensions))
    assert texts(forest_chart_svg(analyse_rows([]).dimensions)).count("no figure") == 5
    assert forest_chart_svg(analysis.dimensions) != forest_chart_svg(analyse_rows([]).dimensions)


def test_figures_below_the_forest_do_not_touch_however_far_below_zero_it_begins(
    make_row: Callable[..., dict[str, Any]],
) -> None:
    rows = [make_row(rater, f"item-{n}", mark) for n in range(1, 6) for rater, mark in (("up", n), ("down", 6 - n))]
    labels = texts(forest_chart_svg(analyse_rows(rows * 4, resampling=Resampling(10)).dimensions))
    figures = [label for label in labels if label.lstrip("−").replace(".", "").isdigit()]
    assert any(figure.startswith("−") for figure in figures)
    assert len(figures) <= 7


def test_the_heat_map_writes_the_kappas_of_few_raters(analysis: RatingAnalysis) -> None:
    labels = texts(heat_map(analysis.table))
    assert labels.count("rater-0") == 2
    assert sum(label.startswith("0.") for label in labels) == 4 * 3


def test_the_heat_map_writes_a_true_minus(make_row: Callable[..., dict[str, Any]]) -> None:
    rows = [make_row(rater, f"item-{n}", mark) for n in range(1, 6) for rater, mark in (("up", n), ("down", 6 - n))]
    labels = texts(heat_map(analyse_rows(rows, resampling=Resampling(10)).table))
    assert labels.count("−1.00") == 2


def test_many_raters_do_not_crowd_the_heat_map(make_study: Callable[..., list[dict[str, Any]]]) -> None:
    labels = texts(heat_map(analyse_rows(make_study(12, 65), resampling=Resampling(10)).table))
    assert len([label for label in labels if label.startswith("rater-")]) <= 60
    assert not [label for label in labels if label.startswith("0.")]


def test_raters_stand_in_the_order_of_their_leniency(make_row: Callable[..., dict[str, Any]]) -> None:
    marks = {"mild": 5, "hard": 1, "mid": 3}
    rows = [make_row(rater, f"item-{n:02}", mark) for n in range(12) for rater, mark in marks.items()]
    labels = texts(leniency_chart_svg(analyse_rows(rows, resampling=Resampling(20)).leniency))
    assert [label for label in labels if label in {"mild", "mid", "hard"}] == ["hard", "mid", "mild"]


def test_names_of_raters_are_text_and_nothing_else(make_row: Callable[..., dict[str, Any]]) -> None:
    raters = ("</text><script>", "'\"><img src=x>", "$\\frac{1}{0}$", "bøb-2", "日本語", "हिन्दी")
    rows = [make_row(rater, f"item-{n}", n + 1) for rater in raters for n in range(4)]
    for name in ("heat map", "leniency"):
        svg = CHARTS[name](analyse_rows(rows, resampling=Resampling(10)))
        assert "<script" not in svg
        assert set(raters) <= set(texts(svg))
