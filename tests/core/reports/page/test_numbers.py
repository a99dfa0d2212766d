"""Numbers of the page: those of the charts stand in tables, and missing ones are dashes that say why."""

import math
import re
from dataclasses import replace

import pytest
from rendered_page import Make, Structure, render_report, table_rows

from stoic_assets.core.reports.data import ReportData

TIE = (0.01 + 0.28) / 2
"""Its binary value lies above 0.145; without the error of the sum it is 0.145, whose binary value lies below."""

pytestmark = pytest.mark.usefixtures("charts_drawn_once")


def test_the_reason_of_a_dash_can_be_read_without_a_pointer(usual_page: str) -> None:
    reasons = set(re.findall(r'<abbr class="none" title="([^"]*)">', usual_page))
    below = " ".join(re.findall(r'<p class="note">– (.*?)</p>', usual_page))
    assert len(reasons) > 5
    assert [why for why in reasons if why not in below and f">{why}<" not in usual_page] == []


def test_empty_evaluations_and_absent_columns_make_a_page_without_nonsense() -> None:
    html = render_report(ReportData(evaluation={"agent_version": "m@1", "evaluation_id": "e", "offline": False}))
    text = Structure(html).text
    assert "No trial could be scored" in text
    assert not re.search(r"\b(None|nan|NaN|inf|Undefined)\b", text.partition("(() =>")[0])


@pytest.mark.parametrize("nothing", [None, math.nan])
def test_missing_numbers_are_dashes(make_data: Make, nothing: float | None) -> None:
    data = make_data(trials=8, compared=False)
    parts = ("timing", "task", "assertion", "overall", "tone", "virtue_overall", "virtue_confidence")
    rows = [{**row, **dict.fromkeys(parts, nothing)} for row in data.composite_scores]
    turns = [{**row, "response_ms": nothing} for row in data.turns]
    scores = {"average_overall": nothing}
    html = render_report(replace(data, composite_scores=rows, turns=turns, evaluation_scores=scores))
    assert not re.search(r"\b(None|nan|NaN)\b", Structure(html).text.partition("(() =>")[0])
    why = "In no scored trial was anything asked that an overall score measures: a task, an assertion, a time."
    assert f"{why} Overall is" in html


def test_the_average_is_rounded_as_the_terminal_and_json_have_it(make_data: Make) -> None:
    data = make_data(trials=2, compared=False)
    totals = [row | {"overall": total} for row, total in zip(data.composite_scores, (0.01, 0.28), strict=True)]
    page = render_report(replace(data, composite_scores=totals, evaluation_scores={"average_overall": TIE}))
    assert '<h3>Average score</h3>\n      <p class="figure">0.15</p>' in page
    [overall] = (row for row in table_rows(page) if row[0] == "Overall" and row[-1] == "2")
    assert overall[1] == "0.15"


def test_trends_need_two_releases(make_data: Make, usual_page: str) -> None:
    data = make_data(trials=1)
    assert "Over releases" in usual_page
    one = [row for row in data.virtue_trends if row["agent_version"] == "marcus@1.1.0"]
    assert "Over releases" not in render_report(replace(data, virtue_trends=one))


def test_trends_say_which_evaluation_stands_for_this_version_where_it_is_another(
    make_data: Make, usual_page: str
) -> None:
    data = make_data(trials=1, compared=False)
    assert "<caption><span>marcus@1.1.0; slope" in usual_page
    other = [row | {"evaluation_id": "another"} for row in data.virtue_trends]
    page = render_report(replace(data, virtue_trends=other))
    assert "<caption><span>marcus@1.1.0, by its evaluation another; slope" in page
    before = [row for row in data.virtue_trends if row["agent_version"] != "marcus@1.1.0"]
    page = render_report(replace(data, virtue_trends=before))
    assert "marcus@1.1.0 is not among these releases: it has no finished and conclusive evaluation" in page
    page = render_report(replace(data, virtue_trends=before, evaluation_scores={"fitness": None}))
    assert ">No virtue was scored in marcus@1.1.0, so it has no point here.</td>" in page


def test_fewer_than_three_releases_show_no_trend(make_data: Make, usual_page: str) -> None:
    data = make_data(trials=1, compared=False)
    assert ["Wisdom", "0.78", "−0.04", "declining"] in table_rows(usual_page)
    two = [row | {"slope_n": row["slope_n"] - 1} for row in data.virtue_trends if row["place"] > 1]
    page = render_report(replace(data, virtue_trends=two))
    assert ["Wisdom", "0.78", "−0.04", "–"] in table_rows(page)
    assert "declining" not in page
    assert "fewer than three releases with the same jobs, conditions and judges show no trend" in page
    assert "The scores of both releases, the oldest first" in page
    assert "The scores of all 3 releases, the oldest first" in usual_page
    assert "; <code>stoic compare</code> says which changes are sure.</span></caption>" in page


def test_every_number_of_the_virtue_charts_stands_in_a_table(usual_page: str) -> None:
    rows = table_rows(usual_page)
    assert ["Wisdom", "0.91", "0.83", "0.81", "16", "0"] in rows  # base, this version, its confidence
    assert ["marcus@0.9.0", "0.86", "0.70", "0.74", "0.60", "0.80"] in rows
    assert ["marcus@1.1.0", "0.78", "0.62", "0.66", "0.52", "0.72"] in rows


def test_a_virtue_that_a_release_did_not_score_has_a_dash_in_its_row(make_data: Make) -> None:
    data = make_data(trials=1, compared=False)
    later = [row for row in data.virtue_trends if row["virtue"] != "courage" and row["place"] < 3]
    page = render_report(replace(data, virtue_trends=later, without_verdict=["marcus@0.9.1", "marcus@0.9.2"]))
    assert ["marcus@1.0.0", "0.82", "–", "0.70", "0.56", "0.76"] in table_rows(page)
    assert "Mean score of each virtue in 2 releases, from marcus@0.9.0 to marcus@1.0.0." in page
    assert "Not shown, without a verdict: marcus@0.9.1, marcus@0.9.2." in page
    assert "dotted" not in page


def test_the_mark_of_the_release_among_later_ones_is_explained(make_data: Make) -> None:
    data = make_data(trials=1, compared=False)
    earlier = {**data.evaluation, "agent_version": "marcus@1.0.0"}
    page = render_report(replace(data, evaluation=earlier))
    assert "in 3 releases, from marcus@0.9.0 to marcus@1.1.0. The dotted line is at marcus@1.0.0." in page
    assert "without a verdict" not in page


def test_sample_score_and_confidence_of_a_verdict_stand_apart(usual_page: str) -> None:
    line = " ".join(Structure(usual_page.partition('<div class="verdict">')[2].partition("</p>")[0]).text.split())
    assert re.fullmatch(r"gpt-4\.1 sample 0 · score 0\.\d\d · stated confidence 0\.90", line)
