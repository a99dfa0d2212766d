"""What the page says first: what went wrong, how it ended, how far its scores can be trusted."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import get_args

import pytest
from rendered_page import Make, Structure, render_report

from stoic_assets.core.conversation.evidence import Outcome
from stoic_assets.core.presentation.formatting import words
from stoic_assets.core.table_rows import Row

pytestmark = pytest.mark.usefixtures("charts_drawn_once")


def test_the_first_screen_says_what_went_wrong(make_data: Make) -> None:
    html = render_report(make_data(trials=24, compared=False))
    summary = Structure(html[html.index('id="summary"') : html.index('id="overview"')])
    said = " ".join(summary.text.split())
    assert said.index("2 × Agent error no reply in 4 attempts") < said.index("1 × Evaluator error it was empty twice")
    assert summary.links
    assert {link[1:] for link in summary.links} <= set(Structure(html).ids)
    assert "What went wrong" not in render_report(make_data(trials=3, compared=False))


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        ({"it <books>": 4}, ">“it &lt;books&gt;” failed in 4 of 4 trials</a></li>"),
        ({"a": 2, "b": 3}, ">2 different assertions failed</a>, most of all “b”: in 3 of 4 trials</li>"),
        ({"a": 4, "b": 4, "c": 1}, ">3 different assertions failed</a></li>"),
        ({"a": 0}, ""),
    ],
)
def test_the_first_screen_names_an_assertion_only_if_it_failed_most(
    make_data: Make, failed: dict[str, int], said: str
) -> None:
    data = make_data(trials=4, turns=2, compared=False)
    first = {row["trial_id"]: row for row in reversed(data.assertion_results)}.values()
    rows = [
        row | {"assertion": name, "text": name, "weight": 1.0, "passed": place >= times}
        for name, times in failed.items() for place, row in enumerate(first)
    ]  # fmt: skip
    page = render_report(replace(data, assertion_results=rows))
    found = re.findall('<li><a href="#failures"(.*?</li>)', page)
    assert found == ([said] if said else [])


@pytest.mark.parametrize(("causes", "said"), [(9, "and 1 more cause"), (10, "and 2 more causes")])
def test_causes_that_are_not_shown_are_counted(make_data: Make, causes: int, said: str) -> None:
    data = make_data(trials=causes, turns=2, compared=False)
    trials = [row | {"outcome": "infra_error", "detail": f"cause {n}"} for n, row in enumerate(data.trials)]
    scores = [row | {"outcome": "infra_error"} for row in data.composite_scores]
    assert f"<li>{said}</li>" in render_report(replace(data, trials=trials, composite_scores=scores))


def test_first_screen_of_a_good_run_has_no_banner(usual_page: str) -> None:
    assert "No verdict" not in usual_page
    assert "mean nothing" not in usual_page
    assert "not calibrated on people’s ratings" in usual_page
    assert ">Not calibrated: this judge has not been compared with people’s ratings yet" in usual_page
    assert "run <code>stoic ratings calibrate</code>.</p>" in usual_page


def test_how_scores_agree_with_peoples_is_told_first_in_short_and_below_in_figures(make_data: Make) -> None:
    row = {"virtue": "wisdom", "judge_model": "claude-opus,gpt-4.1", "why": None, "items": 80, "raters": 3}
    figures = {"estimate": -0.08, "low": -0.23, "high": 0.08}
    known = [row | figures | {"measure": "spearman"}, row | figures | {"measure": "alpha_people", "high": 0.9}]
    html = render_report(make_data(trials=2, turns=2, judge_calibration=known))
    glance, virtues = (html[html.index(f'id="{part}"') :].split("</section>")[0] for part in ("overview", "virtues"))
    assert "agree with people&#39;s: wisdom. <a href=\"#against-people\">" in glance
    assert "rank correlation" not in glance
    assert "<li>Wisdom by claude-opus,gpt-4.1: rank correlation with people −0.08" in virtues


@pytest.mark.parametrize("outcome", get_args(Outcome))
def test_the_first_screen_explains_how_conversations_ended(make_data: Make, outcome: str) -> None:
    data = make_data(trials=2)
    ended = {
        table: [{**row, "outcome": outcome} for row in getattr(data, table)] for table in ("composite_scores", "trials")
    }
    html = render_report(replace(data, **ended))
    explained = re.findall(rf'<p class="note">{words(outcome)}: ([^<]+)\.</p>', html)
    assert len(explained) == 1
    assert f'<span title="{explained[0]}"' in html


def test_judging_again_makes_no_conversation_longer(make_data: Make) -> None:
    data = make_data(trials=2, turns=2, compared=False)
    began = data.evaluation["started_at"]
    judged = [{**row, "evaluated_at": began + timedelta(hours=9, minutes=n)} for n, row in enumerate(data.task_scores)]
    evaluation = {**data.evaluation, "ended_at": began + timedelta(hours=10)}
    page = " ".join(render_report(replace(data, evaluation=evaluation, task_scores=judged)).split())
    ended = "all conversations finished within 31.0 s, judged 2026-11-21 23:03 UTC, "
    assert f"evaluated 2026-11-21 14:02 UTC, {ended}" in page


def test_the_page_says_which_bound_held(make_data: Make, usual_page: str) -> None:
    assert "if its confidence is above" not in usual_page
    virtues = [{**row, "confidence_above": 0.5} for row in make_data().evaluation_virtues]
    page = render_report(make_data(evaluation_virtues=virtues))
    assert ">A virtue with a low score is weak if its confidence is above 0.50.<" in page


def test_the_confidence_in_a_weak_virtue_is_seen_to_be_above_the_bound(make_data: Make) -> None:
    data = make_data()
    seen = {"confidence": 0.8104, "confidence_above": 0.81}
    weak = [row | {"confidence": 0.8104} for row in data.weak_virtues]
    virtues = [row | seen for row in data.evaluation_virtues]
    page = render_report(replace(data, evaluation_virtues=virtues, weak_virtues=weak))
    assert page.count("confidence 0.8104 · severity") == len(weak) > 0
    assert len(re.findall(r"trials · 95.% interval \d\.\d\d to \d\.\d\d<", page)) == len(weak)
    assert page.count(">0.8104</td>") == len(virtues)


def test_offline_and_too_many_invalid_trials_are_told_first(make_data: Make) -> None:
    data = make_data(invalid_trials_threshold=0.01)
    html = render_report(replace(data, evaluation={**data.evaluation, "offline": True}))
    assert html.index("Scores mean nothing") < html.index("No verdict.") < html.index("Average score")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            {"fitness": 0.66, "conclusive": True, "scored_trials": 6, "revision": 1, "delivered_at": None},
            "Fitness 0.66 in the fitness update: waiting in the outbox.",
        ),
        (
            {"conclusive": True, "scored_trials": 6, "revision": 1, "fitness_why": "the agent failed in every trial"},
            "No fitness (the agent failed in every trial) in the fitness update: waiting in the outbox.",
        ),
        (
            {"conclusive": False, "scored_trials": 6, "revision": 1, "fitness_why": "too many trials are invalid"},
            "No fitness (too many trials are invalid) in the fitness update: not sent.",
        ),
        (
            {"conclusive": True, "scored_trials": 0, "revision": 1, "fitness_why": "no trial was scored"},
            "No fitness (no trial was scored) in the fitness update: not sent.",
        ),
        (
            {"conclusive": False, "scored_trials": 6, "revision": 2, "fitness_why": "too many trials are invalid"},
            "No fitness (too many trials are invalid) in the fitness update: waiting in the outbox.",
        ),
    ],
)
def test_a_fitness_update_that_is_never_sent_waits_nowhere(make_data: Make, row: Row, said: str) -> None:
    data = make_data(trials=1, turns=2, compared=False, fitness_updates=[{"fitness": None} | row])
    assert said in " ".join(Structure(render_report(data)).text.split())


def test_a_fitness_update_without_an_address_says_for_what_it_waits(make_data: Make) -> None:
    row = {"fitness": 0.66, "conclusive": True, "scored_trials": 6, "revision": 1, "delivered_at": None}
    data = make_data(trials=1, turns=2, compared=False, fitness_updates=[row], fitness_is_sent=False)
    told = "Fitness 0.66 in the fitness update: in the outbox until EVOLUTION_URL is set."
    assert told in " ".join(Structure(render_report(data)).text.split())


def test_the_means_name_the_trials_that_have_one(make_data: Make) -> None:
    data, without = make_data(trials=4), {"overall": None}
    some = [row | (without if place else {}) for place, row in enumerate(data.composite_scores)]
    assert "Mean of the overall score of 4 scored trials, 0–1. Overall is" in render_report(data)
    assert "Mean of the overall score of 1 of 4 scored trials, 0–1; the others have none." in render_report(
        replace(data, composite_scores=some)
    )
    alone = render_report(make_data(trials=1, evaluation_scores={"fitness": None}))
    assert "Mean of the overall score of 1 scored trial, 0–1. Overall is" in alone
    assert "<p>No virtue was scored.</p>" in alone


def test_where_no_assertion_was_checked_none_is_said_to_have_held(make_data: Make) -> None:
    data = make_data(trials=2)
    held = [row | {"passed": True} for row in data.assertion_results]
    assert "No assertion failed in a scored trial." in render_report(replace(data, assertion_results=held))
    none = render_report(replace(data, assertion_results=()))
    assert "No assertion was checked in a scored trial." in none
    assert "No assertion was checked in both versions." in none
    untold = [row | {"passed": None} for row in data.assertion_results]
    assert "No assertion was checked in a scored trial." in render_report(replace(data, assertion_results=untold))
