"""The results of an analysis as a public document and as rows of its tables."""

from collections.abc import Callable
from typing import Any

from analysed_ratings import analyse_rows

from stoic_assets.core.ratings.analysis import analyse
from stoic_assets.core.ratings.analysis_document import analysis_document, rater_check_rows, reliability_rows
from stoic_assets.core.ratings.reliability.estimate import Resampling
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES
from stoic_assets.core.ratings.study import Study

QUICK = Resampling(100)

Row = dict[str, Any]
MakeRow = Callable[..., Row]
MakeStudy = Callable[..., list[Row]]

COEFFICIENTS = {"alpha_ordinal", "alpha_nominal", "ac2", "icc_a1", "icc_ak", "qwk_mean"}


def test_the_document_has_its_public_shape(make_study: MakeStudy) -> None:
    document = analysis_document(analyse_rows(make_study(30, 3), resampling=Resampling(200)))
    counts, figures = ["raters", "items", "ratings"], ["dimensions", "overall", "versions"]
    public = [*counts, *figures, "by_rater", "flags", "not_checked", "page_id", "rubric", "other_pages"]
    assert list(document) == public
    assert (document["raters"], document["items"], document["ratings"]) == (3, 30, 90)
    assert list(document["dimensions"]) == list(DIMENSION_NAMES)
    for found in document["dimensions"].values():
        assert set(found) == COEFFICIENTS | {"gate", "more_raters"}
        assert found["gate"] in {"pass", "fail", "unknown"}
    assert set(document["overall"]) == {"fleiss_kappa", "ac1", "cohen_kappa_mean"}
    for estimate in (found[name] for found in document["dimensions"].values() for name in COEFFICIENTS):
        assert list(estimate) == ["estimate", "low", "high", "why"]
        assert estimate["low"] < estimate["estimate"] < estimate["high"]
        assert estimate["why"] is None


def test_rows_for_the_tables(make_study: MakeStudy) -> None:
    analysis = analyse_rows(make_study(30, 3), resampling=QUICK)
    rows = reliability_rows(analysis)
    assert len(rows) == 5 * 8 + 3
    assert len({(row["question"], row["coefficient"]) for row in rows}) == len(rows)
    assert {row["gate"] for row in rows if row["question"] == "overall"} == {None}
    assert all(row["gate_why"] for row in rows if row["question"] != "overall")
    assert rater_check_rows(analysis) == []


def test_a_row_for_each_flag(make_study: MakeStudy, make_row: MakeRow) -> None:
    flat = [make_row("flat", f"item-{number:03}", 3) for number in range(30)]
    [row] = rater_check_rows(analyse_rows([*make_study(30, 3), *flat], resampling=QUICK))
    detail = "100 % of 150 marks are 3, standard deviation 0.00"
    study = {"page_id": "p*1", "rubric": None}
    assert row == {"rater_id": "flat", "check": "straight_lining", "detail": detail, **study}


def test_figures_and_flags_name_their_study(make_row: MakeRow) -> None:
    flat = [make_row("flat", f"item-{number:03}", 3) for number in range(10)]
    analysis = analyse(Study("p1", "r1", flat, ("p0",)), {}, QUICK)
    document = analysis_document(analysis)
    assert (document["page_id"], document["rubric"], document["other_pages"]) == ("p1", "r1", ["p0"])
    rows = [*reliability_rows(analysis), *rater_check_rows(analysis)]
    assert {(row["page_id"], row["rubric"]) for row in rows} == {("p1", "r1")}
