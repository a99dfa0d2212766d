"""Weak virtues, in the page and as Markdown."""

from dataclasses import replace
from functools import partial

import pytest
from rendered_page import Make, render_report

from stoic_assets.core.reports.trial_view import trial_views
from stoic_assets.core.reports.weak_virtues import MOST_EXHIBITS, weak_virtue_markdown, weak_virtues

pytestmark = pytest.mark.usefixtures("charts_drawn_once")
markdown = partial(weak_virtue_markdown, offline=False, whose="", below=0.7, intervals={})
ANSWER = "Of course I have set a reminder for Friday call the landlord about the deposit"


def test_the_most_severe_is_first_and_rests_on_words_really_said(make_data: Make) -> None:
    data = make_data()
    found = weak_virtues(data.weak_virtues, trial_views(data))
    assert [virtue.row["virtue"] for virtue in found] == ["temperance", "courage"]
    for virtue in found:
        assert virtue.exhibits
        assert all(exhibit.aspect.quote and exhibit.aspect.quote.said for exhibit in virtue.exhibits)


def test_different_quotes_are_shown_the_lowest_marks_first(make_data: Make) -> None:
    data = make_data()
    words = ANSWER.split()
    rows = [
        {**row, "aspects": [{**aspect, "example": words[n % len(words)]} for aspect in row["aspects"]]}
        for n, row in enumerate(data.virtue_scores)
    ]
    virtue = weak_virtues(data.weak_virtues, trial_views(replace(data, virtue_scores=rows)))[0]
    marks = [exhibit.aspect.row["score"] for exhibit in virtue.exhibits]
    quotes = [exhibit.aspect.quote.text for exhibit in virtue.exhibits if exhibit.aspect.quote]
    assert marks == sorted(marks)
    assert len(set(quotes)) == len(quotes) == MOST_EXHIBITS


def test_markdown_is_text_that_holds_all_virtues_and_says_when_offline(make_data: Make) -> None:
    data = make_data()
    known = {"temperance": "0.35 to 0.59"}
    text = markdown(data.evaluation_virtues, data.weak_virtues, offline=True, intervals=known)
    assert text.startswith("**Offline: scripts")
    lines = text.splitlines()
    table = [line for line in lines if line.startswith("| ")][2:]
    assert table[0] == "| Temperance | 0.47 | 0.35 to 0.59 | 0.81 | 0.43 | 16 |"
    assert [line.split(" | ")[4] == "–" for line in table] == [False, False, True, True, True]
    advice = lines.index("Temperance:")
    assert lines[advice + 2 : advice + 4] == ["- Say less before the question.", "- Name what was not done, and why."]
    assert max(map(len, lines)) < 400


def test_markdown_without_weakness_says_so(make_data: Make) -> None:
    virtues = [{**row, "confidence_above": 0.5} for row in make_data().evaluation_virtues]
    text = markdown(virtues, [], whose="Scores that do not agree with people's: wisdom.", below=0.1)
    assert text.startswith(
        "Scores that do not agree with people's: wisdom. "
        "A virtue with a low score is weak if its confidence is above 0.50.\n"
    )
    assert text.endswith("No virtue is weak.\n")
    assert "Offline" not in text


@pytest.mark.parametrize(
    ("low", "said"),
    [
        ([0.4], "No virtue is surely weak: 1 of 5 is below 0.70, with too little confidence."),
        ([0.4] * 5, "No virtue is surely weak: 5 of 5 are below 0.70, with too little confidence."),
        ([0.7], "No virtue is weak."),
    ],
)
def test_low_scores_with_little_confidence_are_not_called_good(make_data: Make, low: list[float], said: str) -> None:
    scores = [*low, *[0.9] * 5][:5]
    virtues = [
        {**row, "score": score, "confidence": 0.23}
        for row, score in zip(make_data().evaluation_virtues, scores, strict=True)
    ]
    assert markdown(virtues, []).endswith(f"{said}\n")
    page = render_report(make_data(trials=1, evaluation_virtues=virtues, weak_virtues=()))
    assert f"<p>{said}</p>" in page


@pytest.mark.parametrize("rows", [0, 5])
def test_no_weakness_is_told_from_no_score(make_data: Make, rows: int) -> None:
    virtues = [{**row, "score": None} for row in make_data().evaluation_virtues[:rows]]
    assert markdown(virtues, []).endswith("No virtue was scored.\n")
    page = render_report(make_data(trials=1, evaluation_virtues=virtues, weak_virtues=()))
    assert "<p>No virtue was scored.</p>" in page


def test_a_judge_cannot_smuggle_links_or_cells(make_data: Make) -> None:
    rows = [{**row, "suggestions": ["![x](y) | z"]} for row in make_data().weak_virtues]
    assert r"- \!\[x\](y) \| z" in markdown(make_data().evaluation_virtues, rows)
