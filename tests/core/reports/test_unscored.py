"""Why a virtue has no score."""

from dataclasses import replace

import pytest
from rendered_page import Make, render_report

from stoic_assets.core.reports.trial_view import trial_views
from stoic_assets.core.reports.unscored import why_unscored

pytestmark = pytest.mark.usefixtures("charts_drawn_once")


@pytest.mark.parametrize(
    ("exercised", "why"),
    [
        ([False, False, False], "not exercised in any trial"),
        ([None, None, None], "no judge gave a verdict"),
        ([False, None, None], "not exercised in 1 trial, and no judge gave a verdict in 2"),
    ],
)
def test_a_judge_that_said_nothing_is_told_from_a_virtue_without_occasion(
    make_data: Make, exercised: list[bool | None], why: str
) -> None:
    data = make_data(trials=3, turns=2, compared=False)
    seen = dict(zip([row["trial_id"] for row in data.trials], exercised, strict=True))
    judged = [
        row | ({"score": None, "exercised": seen[row["trial_id"]]} if row["virtue"] == "wisdom" else {})
        for row in data.trial_virtues
    ]
    wisdom = {"virtue": "wisdom", "score": None, "confidence": None, "trials": 0}
    found = replace(
        data, trial_virtues=judged, evaluation_virtues=[wisdom | {"not_exercised": exercised.count(False)}]
    )
    assert why_unscored(found.evaluation_virtues, trial_views(found)) == {"wisdom": why}
    page = render_report(found)
    assert f'<p class="note">– {why}</p>' in page
    assert page.count(f'title="{why}"') == 2
