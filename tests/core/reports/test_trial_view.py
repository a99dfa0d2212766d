"""Trials as a page shows them."""

import json
from dataclasses import replace

import pytest
from rendered_page import Make, render_report

from stoic_assets.core.reports.job_table import failed_assertions
from stoic_assets.core.reports.trial_view import trial_views

pytestmark = pytest.mark.usefixtures("charts_drawn_once")


def test_the_worst_trial_is_first_and_one_without_total_last(make_data: Make) -> None:
    totals = [view.scores["overall"] for view in trial_views(make_data())]
    scored = [total for total in totals if total is not None]
    assert totals == [*sorted(scored), None]


def test_a_trial_holds_its_own_evidence(make_data: Make) -> None:
    data = make_data(turns=4)
    for view in trial_views(data):
        assert [turn.row["turn"] for turn in view.turns] == [0, 1, 2, 3]
        assert {turn.row["trial_id"] for turn in view.turns} == {view.row["trial_id"]}
        assert view.assertions[0].observation is not None
        assert view.assertions[0].observation["assertion"] == "reminder stored"
        assert view.assertions[1].observation is None
        assert [seen["assertion"] for seen in view.others] == ["objectContext"]


def test_quotes_that_were_never_said_are_told_apart(make_data: Make) -> None:
    view = next(view for view in trial_views(make_data()) if view.virtues)
    quotes = [aspect.quote for aspect in view.virtues[0].verdicts[0].aspects]
    assert [quote.said for quote in quotes if quote] == [False, True, True, True]


def test_an_action_counts_as_said_only_where_the_judge_saw_actions(make_data: Make) -> None:
    data = make_data()
    calls = ['createReminder {"at": "2026-11-27T09:00"', " ", "createReminder ... createReminder {"]
    verdicts = [{**row, "supporting_examples": calls} for row in data.virtue_scores]
    turns = [{**row, "events": json.dumps(json.loads(row["events"]) * 2)} for row in data.turns]
    view = next(view for view in trial_views(replace(data, virtue_scores=verdicts, turns=turns)) if view.virtues)
    said = {virtue.name: [quote.said for quote in virtue.verdicts[0].quotes] for virtue in view.virtues}
    assert said["courage"] == [True, True]
    assert said["wisdom"] == [False, False]


def test_a_mark_stands_with_what_its_judge_went_by(make_data: Make) -> None:
    data = make_data(trials=1, turns=2, compared=False)
    page = " ".join(render_report(data).split())
    assert '<summary>Criterion</summary> <p class="said" dir="auto">It repeats day and hour.</p>' in page
    assert "Requirements, for the judge of temperance</h5>" in page
    assert "for the judge of practical wisdom" not in page
    assert "1 fact that the user did not know</summary> <ul><li dir=\"auto\">The landlord answers before ten" in page


def test_a_conversation_stands_with_what_was_before_it(make_data: Make) -> None:
    page = " ".join(render_report(make_data(trials=1, turns=2, compared=False)).split())
    told = '1 message that the agent was sent in earlier sessions</summary> <ul><li dir="auto">I live in &lt;Oslo&gt;.'
    assert told in page
    assert "2 setups of the graph before the conversation</summary>" in page
    assert page.index("CREATE (:User)") < page.index("MATCH (n) DELETE n") < page.index("I live in &lt;Oslo&gt;.")


def test_of_a_corrected_job_no_criterion_is_shown_that_nobody_judged_by(make_data: Make) -> None:
    data = make_data(trials=1, turns=2, compared=False)
    page = render_report(replace(data, jobs=[{**job, "corrected": True} for job in data.jobs]))
    assert "It repeats day and hour." not in page
    assert "The job was corrected after its conversations" in page


def test_of_a_corrected_job_that_is_kept_the_criteria_are_shown(make_data: Make) -> None:
    data = make_data(trials=1, turns=2, compared=False)
    page = render_report(replace(data, jobs=[{**job, "corrected": True, "kept": True} for job in data.jobs]))
    assert "It repeats day and hour." in page
    assert "The job was corrected after its conversations: the judge used the criteria shown here." in page


def test_a_scenario_stands_with_its_category(make_data: Make) -> None:
    data = make_data(trials=1, turns=2, compared=False)
    scenarios = [{"id": "s1", "category": "grief"}, {"id": "s2", "category": "anger"}]
    trials = [{**row, "scenario": "s2"} for row in data.trials]
    held = replace(data, trials=trials, jobs=[{**job, "scenarios": scenarios} for job in data.jobs])
    assert "<dt>category</dt><dd>anger</dd>" in render_report(held)


@pytest.mark.parametrize(
    ("error", "fault"),
    [("expected 1, got 0", None), (None, None), ("expected 1 (integer), got 0 (text)",) * 2, ("no rows",) * 2],
)
def test_an_assertion_says_what_its_columns_do_not(make_data: Make, error: str | None, fault: str | None) -> None:
    data = make_data(trials=1)
    result = data.assertion_results[0] | {"expected": "1", "actual": "0", "passed": False, "error": error}
    held = replace(data, assertion_results=[result])
    assert trial_views(held)[0].assertions[0].fault == fault
    assert failed_assertions(trial_views(held))[0].fault == fault


@pytest.mark.parametrize("content", ["", " \n"])
def test_an_empty_reply_says_that_it_is_empty(make_data: Make, content: str) -> None:
    data = make_data(trials=1, turns=2, compared=False)
    page = render_report(replace(data, turns=[{**row, "content": content} for row in data.turns]))
    assert (page.count("[an empty reply]"), page.count("[an empty message]")) == (1, 1)


def test_calls_and_late_replies_are_marked(make_data: Make) -> None:
    data = make_data(trials=1, turns=2)
    turns = [{**row, "response_ms": 1600.0} for row in data.turns]
    user, agent = trial_views(replace(data, turns=turns))[0].turns
    assert (user.slow, agent.slow) == (False, True)
    assert agent.calls == ['createReminder {"at": "2026-11-27T09:00", "text": "landlord"}']
    assert user.calls == []


NESTED = "[" * 99_999
DEEP_CALL = '[{"request": {"function": "f", "arguments": ' + "[" * 985 + "]" * 985 + "}}]"


@pytest.mark.parametrize(
    ("text", "events"),
    [(None, 0), ("[]", 0), ('{"a": 1}', 1), ("[1, 2]", 2), ("garbled", 1), (NESTED, 1), (DEEP_CALL, 1)],
)
def test_events_of_any_shape_are_counted(make_data: Make, text: str | None, events: int) -> None:
    data = make_data(trials=1, turns=1)
    view = trial_views(replace(data, turns=[{**data.turns[0], "events": text}]))[0]
    assert view.turns[0].events == events


def test_judge_errors_come_from_the_scores_and_say_why_nothing_is_scored(make_data: Make) -> None:
    data = make_data(trials=1)
    scores = [{**row, "outcome": "judge_error", "valid": False, "overall": None} for row in data.composite_scores]
    view = trial_views(replace(data, composite_scores=scores))[0]
    assert (view.outcome, view.valid) == ("judge_error", False)
    assert "judge_error" in view.why_missing("task")


def test_what_a_failed_agent_left_unjudged_says_so(make_data: Make) -> None:
    data = make_data(trials=1, turns=2, compared=False)
    failed = {"outcome": "agent_error", "task": None, "tone": None, "virtue_overall": None, "timing": None}
    page = render_report(replace(data, composite_scores=[{**data.composite_scores[0], **failed}]))
    why = "the agent failed, so it was not judged; the job has no aspirationalAverage, or the agent never replied"
    assert f'<p class="note">– {why}</p>' in page
    assert "none was judged" not in page
    assert "no virtue was scored</p>" not in page


def test_the_times_of_a_trial_say_what_they_are(make_data: Make) -> None:
    page = render_report(make_data(trials=1, turns=2, compared=False))
    assert "<dt>started</dt><dd>2026-11-21 14:02 UTC, ended 30.0 s later</dd>" in page


def test_a_trial_without_scores_is_shown_as_not_scored(make_data: Make) -> None:
    view = trial_views(replace(make_data(trials=1), composite_scores=()))[0]
    assert (view.outcome, view.valid) == ("signed_off", False)


@pytest.mark.parametrize(
    ("trial", "scores"),
    [({"failure_count": 3}, {}), ({"outcome": "agent_error"}, {"outcome": "agent_error"}), ({}, {"valid": False}),
     ({}, {"passed": False}), ({"suspected_injection": ["an order about scores"]}, {}), ({}, {})],
)  # fmt: skip
def test_whatever_failed_makes_a_trial_one_with_trouble(
    make_data: Make, trial: dict[str, object], scores: dict[str, object]
) -> None:
    data = make_data(trials=1)
    row = {**data.trials[0], "failure_count": 0, **trial}
    of_trial = {**data.composite_scores[0], "passed": True, **scores}
    held = replace(data, trials=[row], composite_scores=[of_trial], assertion_results=())
    assert trial_views(held)[0].troubled is bool(trial or scores)


@pytest.mark.parametrize(("passed", "badges"), [(True, (1, 0)), (False, (0, 1)), (None, (0, 0))])
def test_a_trial_says_whether_it_passed(make_data: Make, passed: bool | None, badges: tuple[int, int]) -> None:
    data = make_data(trials=1, turns=2, compared=False)
    page = render_report(replace(data, composite_scores=[{**data.composite_scores[0], "passed": passed}]))
    assert (page.count('badge fine">passed<'), page.count('badge bad">not passed<')) == badges
    assert (f"<li>{badges[0]} of 1 passed</li>" in page) is (passed is not None)


def test_failed_messages_stand_with_the_trial_and_its_job(make_data: Make) -> None:
    data = make_data(trials=1, turns=2, compared=False)
    page = render_report(replace(data, trials=[{**data.trials[0], "failure_count": 3}]))
    assert page.count('badge bad">3 failed messages') == 2
    assert 'badge fine">Signed off' not in page


def test_anchors_hold_nothing_that_means_something_in_a_link(make_data: Make) -> None:
    [view] = trial_views(make_data(trials=1))
    ids = ('e.job."><script>.1', "e.chat~x.withheld.1", "e.chat_x.withheld.1")
    hostile, other, similar = (replace(view, row={"trial_id": trial_id}).anchor for trial_id in ids)
    assert hostile == "trial-e.job.___script_.1"
    assert other != similar


@pytest.mark.parametrize(
    ("row", "why"), [({"exercised": False}, "not exercised"), ({"failed": 2}, "no usable verdict"), ({}, "not judged")]
)
def test_a_virtue_without_score_says_why(make_data: Make, row: dict[str, object], why: str) -> None:
    view = next(view for view in trial_views(make_data()) if view.virtues)
    assert why in replace(view.virtues[0], row=row).why_missing


def test_a_trial_in_which_the_judge_was_spoken_to_is_shown_at_the_top(make_data: Make) -> None:
    data = make_data(trials=14, turns=2, compared=False)
    trials = [{**row, "suspected_injection": ["an order about scores"]} for row in data.trials]
    page = render_report(replace(data, trials=trials))
    assert "In 14 trials the agent’s words seem to address the judge" in page
    assert page.index("Suspected injection.</strong>") < page.index('id="trials-title"')
    assert "and 2 more" in page
    assert page.count('badge bad">suspected injection') == 14


def test_an_honest_evaluation_speaks_of_no_injection(usual_page: str) -> None:
    assert "uspected injection" not in usual_page
