"""Tasks that let trials fail, and by what trials failed."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from rendered_page import Make, render_report

from stoic_assets.core.reports.data import ReportData
from stoic_assets.core.reports.failed_tasks import failed_by, failed_tasks
from stoic_assets.core.reports.trial_view import TrialView, trial_views
from stoic_assets.core.table_rows import Row


def trial(
    number: int, marks: Mapping[str, float | None], job: str = "j", outcome: str = "signed_off", held: bool = True
) -> TrialView:
    """A trial in which an assertion held or not, and tasks were marked; it passed as the scores have it."""
    given = [mark for mark in marks.values() if mark is not None]
    task = sum(given) / len(given) if given else None
    own: Row = {"trial_id": f"t{number}", "job": job, "condition": "withheld", "repeat": number, "outcome": outcome}
    passed = held and outcome == "signed_off" and (task is None or task >= 0.7)
    tasks = [{**own, "task": text, "task_text": text, "score": mark} for text, mark in marks.items()]
    result = {**own, "assertion": "a", "text": "x", "kind": "cypher", "weight": 1.0, "passed": held}
    scores = {**own, "valid": True, "passed": passed, "task": task}
    rows = {"trials": [own], "composite_scores": [scores], "task_scores": tasks, "assertion_results": [result]}
    return trial_views(ReportData({}, **rows))[0]  # type: ignore[arg-type]


def test_tasks_below_the_threshold_stand_together_where_their_mean_let_the_trial_fail() -> None:
    trials = [
        trial(1, {"ask": 0.2, "tell": 0.9}), trial(2, {"ask": 0.4, "tell": 0.6}, job="k"),
        trial(3, {"ask": 0.69, "tell": 0.9}), trial(4, {"ask": None, "tell": 0.7}),
    ]  # fmt: skip
    ask, tell = failed_tasks(trials, 0.7)
    assert (ask.text, [trial.row["job"] for trial in ask.trials], ask.judged) == ("ask", ["j", "k"], 3)
    assert ask.score == pytest.approx(0.3)
    assert (tell.text, tell.score, tell.judged) == ("tell", 0.6, 4)
    assert failed_tasks(trials, 0.5) == []
    assert [failed.text for failed in failed_tasks(trials[:1], 0.6)] == ["ask"]


def test_a_job_with_two_tasks_of_one_text_counts_each_trial_once() -> None:
    low = trial(1, {"ask": 0.2})
    [failed] = failed_tasks([replace(low, tasks=[*low.tasks, {**low.tasks[0], "score": 0.4}])], 0.7)
    assert ([each.row["trial_id"] for each in failed.trials], failed.judged) == (["t1"], 1)
    assert failed.score == pytest.approx(0.3)


def test_each_trial_that_did_not_pass_is_counted_once_by_its_causes() -> None:
    low, fine = {"ask": 0.2}, {"ask": 0.8}
    trials = [
        trial(1, low), trial(2, low), trial(3, low, held=False), trial(4, fine, held=False), trial(5, fine),
        trial(6, low, held=False, outcome="agent_error"),
    ]  # fmt: skip
    causes = [("task scores", 2), ("assertions and task scores", 1), ("assertions", 1), ("agent failures", 1)]
    assert failed_by(trials, 0.7) == causes


def test_the_page_says_which_tasks_let_trials_fail_and_by_what_trials_failed(
    make_data: Make, charts_drawn_once: None
) -> None:
    data = make_data(trials=3, turns=2, compared=False)
    scores = [row | {"task": 0.75, "passed": False} for row in data.composite_scores]
    results = [row | {"passed": True} for row in data.assertion_results]
    marks = [row | {"score": 0.75, "task_text": "Ask <when>"} for row in data.task_scores]
    changed = {"composite_scores": scores, "assertion_results": results, "task_scores": marks}
    page = " ".join(render_report(make_data(3, 2, False, task_at_least=0.8, **changed)).split())
    assert "<li>3 failed: 3 by task scores</li>" in page
    assert '<li><a href="#low-tasks">“Ask &lt;when&gt;” scored below 0.80</a> in 3 of 3 trials</li>' in page
    assert page.count('<span class="badge bad">tasks below 0.80</span>') == 3
    assert "the judge’s scores for its tasks are at least 0.80 on average" in page
    high = " ".join(render_report(make_data(3, 2, False, **changed)).split())
    assert "In no scored trial are the tasks below 0.70 on average." in high
    assert "No task was judged in a scored trial." in render_report(
        make_data(3, 2, False, **changed | {"composite_scores": [row | {"task": None} for row in scores]})
    )
