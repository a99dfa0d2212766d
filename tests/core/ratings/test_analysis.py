"""The analysis as a whole: studies of every sad shape, and what must not change its figures."""

import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from analysed_ratings import analyse_rows
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.ratings.analysis import RatingAnalysis
from stoic_assets.core.ratings.analysis_document import analysis_document, reliability_rows
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.reliability.estimate import Resampling
from stoic_assets.core.ratings.report.discussion_sheet import discussion_sheet
from stoic_assets.core.ratings.report.page import render_analysis
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES

QUICK = Resampling(100)

Row = dict[str, Any]
MakeRow = Callable[..., Row]
MakeStudy = Callable[..., list[Row]]

COEFFICIENTS = {"alpha_ordinal", "alpha_nominal", "ac2", "icc_a1", "icc_ak", "qwk_mean"}


def whys(analysis: RatingAnalysis, dimension: str = "helpfulness") -> set[str | None]:
    return {estimate.why for estimate in analysis.dimensions[dimension].coefficients.values()}


def test_good_raters_pass_and_bad_ones_fail(make_study: MakeStudy) -> None:
    good, bad = (analyse_rows(make_study(80, 4, noise=noise), resampling=Resampling(300)) for noise in (0.3, 3.0))
    assert {found.gate.state for found in good.dimensions.values()} == {"pass"}
    assert {found.gate.state for found in bad.dimensions.values()} == {"fail"}


def test_an_empty_study() -> None:
    analysis = analyse_rows([])
    assert whys(analysis) == {"nobody gave a mark"}
    assert analysis.dimensions["helpfulness"].gate.more_raters == 3
    document = analysis_document(analysis)
    assert (document["raters"], document["ratings"], document["flags"]) == (0, 0, [])


def test_a_single_rater(make_study: MakeStudy) -> None:
    analysis = analyse_rows(make_study(20, 1))
    assert whys(analysis) == {"one rater gave marks: agreement needs two"}
    assert analysis.dimensions["helpfulness"].gate.more_raters == 2


def test_a_single_item(make_study: MakeStudy) -> None:
    [why] = whys(analyse_rows(make_study(1, 4)))
    assert why == "one item has marks of two raters: reliability needs two such items"


def test_raters_who_share_no_item(make_row: MakeRow) -> None:
    analysis = analyse_rows([make_row(f"rater-{n}", f"item-{n}", n % 5 + 1) for n in range(20)])
    assert whys(analysis) == {"no item has marks of two raters"}


def test_unanimity_without_variation_is_agreement_by_chance_or_not(make_row: MakeRow) -> None:
    analysis = analyse_rows([make_row(f"rater-{r}", f"item-{i}", 4) for i in range(20) for r in range(3)])
    found = analysis.dimensions["helpfulness"].coefficients
    assert (found["ac2"].estimate, found["ac2"].low) == (1, 1)
    assert "every mark is the same" in (found["alpha_ordinal"].why or "")
    assert {name for name, estimate in found.items() if estimate.estimate is not None} == {"ac2"}
    assert analysis.overall["ac1"].estimate == 1
    assert analysis.dimensions["helpfulness"].gate.state == "unknown"


def test_unanimity_on_items_that_differ_is_perfect(make_row: MakeRow) -> None:
    analysis = analyse_rows([make_row(f"rater-{r}", f"item-{i:02}", i % 5 + 1) for i in range(30) for r in range(3)])
    for name, estimate in analysis.dimensions["helpfulness"].coefficients.items():
        assert estimate.estimate == pytest.approx(1), name
    assert analysis.dimensions["helpfulness"].gate.state == "pass"


def test_one_item_that_differs_is_no_ground_for_an_interval(make_row: MakeRow) -> None:
    odd = {0: 1}
    rows = [make_row(f"rater-{r}", f"item-{i:02}", odd.get(i, 4)) for i in range(30) for r in range(3)]
    found = analyse_rows(rows).dimensions["helpfulness"]
    alpha = found.coefficients["alpha_ordinal"]
    assert (alpha.estimate, alpha.low) == (pytest.approx(1), None)
    assert "resamples" in (alpha.why or "")
    assert found.gate.state == "unknown"


def test_few_items_have_figures_without_intervals(make_study: MakeStudy) -> None:
    alpha = analyse_rows(make_study(6, 3)).dimensions["helpfulness"].coefficients["alpha_ordinal"]
    assert alpha.estimate is not None
    assert alpha.why == "6 items: an interval needs at least 10"


def test_a_dimension_that_nobody_could_answer_leaves_the_others_alone(make_study: MakeStudy) -> None:
    rows = [row | {"actionability": None} for row in make_study(30, 3)]
    analysis = analyse_rows(rows, resampling=QUICK)
    assert whys(analysis, "actionability") == {"nobody gave a mark"}
    gate = analysis.dimensions["actionability"].gate
    assert (gate.state, gate.more_raters) == ("unknown", None), "further raters would say N/A as well"
    assert "not applicable" in gate.why
    assert whys(analysis, "helpfulness") == {None}


def test_ragged_data_are_used_as_they_are(make_study: MakeStudy) -> None:
    complete, ragged = make_study(200, 5), make_study(200, 5, missing=0.3)
    of = [analyse_rows(rows, resampling=QUICK).dimensions["helpfulness"].coefficients for rows in (complete, ragged)]
    for name in COEFFICIENTS - {"icc_ak"}:
        assert of[1][name].estimate == pytest.approx(of[0][name].estimate, abs=0.06), name


def test_practice_attention_and_repeats_change_no_figure(make_study: MakeStudy, make_row: MakeRow) -> None:
    rows = make_study(30, 3)
    more = [
        make_row("rater-0", "practice-1", 1, practice=True), make_row("rater-9", "practice-1", 5, practice=True),
        make_row("rater-0", "again-1", 1, repeat_of="item-000"), make_row("rater-1", "look", 2, overall="no"),
    ]  # fmt: skip
    known = {"look": RatedItem(attention={"helpfulness": 2, "overall": "no"})}
    plain, extended = (analysis_document(analyse_rows(given, known, QUICK)) for given in (rows, rows + more))
    of_raters = dict.fromkeys(("flags", "not_checked", "by_rater"))
    assert plain | of_raters == extended | of_raters
    marks = ("rater_id", "rated", "mean", "sd", "not_applicable")
    before, after = ([[each[name] for name in marks] for each in found["by_rater"]] for found in (plain, extended))
    assert before == after


def test_answers_that_change_no_figure_are_checked_all_the_same(make_study: MakeStudy, make_row: MakeRow) -> None:
    rows = make_study(30, 3)
    otherwise = {name: 1 if rows[0][name] > 2 else 5 for name in DIMENSION_NAMES}
    again = rows[0] | otherwise | {"test_id": "again", "repeat_of": "item-000"}
    known = {"look": RatedItem(attention={"helpfulness": 2})}
    found = analyse_rows([*rows, again, make_row("rater-1", "look", 5)], known, QUICK)
    flags = [(flag.rater_id, flag.check) for flag in found.checks.flags]
    assert flags == [("rater-0", "inconsistent_repeats"), ("rater-1", "missed_attention")]
    assert [each.attention_shown for each in found.raters] == [0, 1, 0]
    assert [each.repeat_change is not None for each in found.raters] == [True, False, False]


def test_the_order_of_rows_changes_nothing(make_study: MakeStudy) -> None:
    rows = make_study(30, 3, missing=0.1)
    found, turned = (analysis_document(analyse_rows(given, resampling=QUICK)) for given in (rows, rows[::-1]))
    assert found == turned


def test_the_seed_moves_intervals_and_never_figures(make_study: MakeStudy) -> None:
    rows = make_study(30, 3)
    found = (analyse_rows(rows, resampling=Resampling(100, seed)).dimensions["helpfulness"] for seed in (1, 2))
    one, two = (each.coefficients["ac2"] for each in found)
    assert one.estimate == two.estimate
    assert one.low != two.low


def test_effectiveness_is_correlated_where_it_is_known(make_study: MakeStudy) -> None:
    rows = make_study(40, 3, noise=0.2)
    means = {f"item-{n:03}": np.mean([row["helpfulness"] for row in rows[n * 3 : n * 3 + 3]]) for n in range(40)}
    known = {item: RatedItem(effectiveness=float(mean) / 5) for item, mean in means.items()}
    found = analyse_rows(rows, known, QUICK).effectiveness
    assert found["helpfulness"].estimate == pytest.approx(1)
    assert (found["appropriateness"].estimate or 0) < 0.6
    in_part = known | {"item-000": RatedItem(reply="x")}
    assert analyse_rows(rows, in_part, QUICK).effectiveness["helpfulness"].estimate == pytest.approx(1)
    assert analyse_rows(rows, {item: RatedItem(reply="x") for item in means}, QUICK).effectiveness == {}


@pytest.mark.long
def test_twenty_thousand_ratings_take_seconds(make_study: MakeStudy) -> None:
    rows = make_study(1000, 20, missing=0.02)
    started = time.process_time()
    analyse_rows(rows)
    assert time.process_time() - started < 20


marks = st.one_of(st.none(), st.integers(1, 5))
ratings = st.dictionaries(
    st.tuples(st.sampled_from("abcd"), st.integers(0, 11)),
    st.tuples(marks, marks, marks, marks, marks, st.sampled_from(["yes", "maybe", "no"])),
    max_size=48,
)
Cells = dict[tuple[str, int], tuple[Any, ...]]


def rows_of(cells: Cells, turned: bool = False) -> list[Row]:
    """Rows from drawn cells; with the scale turned round and the raters in another order, if so wished."""
    return [
        {"rater_id": chr(200 - ord(rater)) if turned else rater, "test_id": f"item-{item}", "overall": of[5]}
        | {name: 6 - mark if turned and mark else mark for name, mark in zip(DIMENSION_NAMES, of[:5], strict=True)}
        for (rater, item), of in cells.items()
    ]


@given(ratings)
def test_whatever_is_rated_has_figures_or_reasons(cells: Cells) -> None:
    analysis = analyse_rows(rows_of(cells), resampling=Resampling(40))
    json.dumps(analysis_document(analysis), allow_nan=False)
    for row in reliability_rows(analysis):
        assert (row["why"] is None) == (None not in (row["estimate"], row["low"], row["high"]))
        assert row["low"] is None or row["low"] <= row["high"]
        assert row["estimate"] is None or row["estimate"] <= 1 + 1e-9
        assert row["gate"] != "unknown" or row["gate_why"]
    assert discussion_sheet(analysis).startswith("# Discussion sheet")


@given(ratings)
def test_agreement_does_not_depend_on_names_or_on_which_end_is_good(cells: Cells) -> None:
    plain, turned = (analyse_rows(rows_of(cells, turned), resampling=Resampling(10)) for turned in (False, True))
    for dimension in DIMENSION_NAMES:
        for name in COEFFICIENTS:
            before, after = (found.dimensions[dimension].coefficients[name].estimate for found in (plain, turned))
            assert before == (None if after is None else pytest.approx(after, abs=1e-6)), name


def test_the_page_of_every_sad_shape_can_be_drawn(make_study: MakeStudy) -> None:
    for rows in ([], make_study(1, 1), make_study(1, 3), make_study(12, 1), make_study(3, 2, missing=0.9)):
        page = render_analysis(analyse_rows(rows, resampling=Resampling(20)))
        assert "not known yet" in page
        assert ">nan<" not in page.lower()
