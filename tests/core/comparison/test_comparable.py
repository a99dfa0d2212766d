"""When two evaluations may be compared, on what, and what must be said of it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from stoic_assets.core.comparison.comparable import common_ground
from stoic_assets.core.comparison.comparison import compare
from stoic_assets.core.comparison.measures import JUDGED
from stoic_assets.core.comparison.side import ComparisonRefused, Side
from stoic_assets.core.judging.silent_judges import Answer
from stoic_assets.core.presentation.formatting import percent
from stoic_assets.core.settings import MinimalDifferences

MakeSide = Callable[..., Side]
MakeRows = Callable[..., list[dict[str, Any]]]
AGAIN = (
    "judge the base again with `stoic regrade --agent-version marcus@1.0.0 --evaluation e1`, and then, to renew the "
    "stored comparison, with `stoic regrade --agent-version marcus@1.1.0 --evaluation e2`"
)


@pytest.fixture
def base(make_side: MakeSide) -> Side:
    return make_side()


@pytest.fixture
def candidate(make_side: MakeSide) -> Side:
    return make_side(agent_version="marcus@1.1.0", evaluation_id="e2")


def test_alike_evaluations_share_their_jobs_and_need_no_note(base: Side, candidate: Side) -> None:
    common = common_ground(base, candidate, 0.1)
    assert (common.jobs, common.undecidable, common.notes) == ({"a", "b"}, {}, ())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"status": "incomplete"}, "(evaluation e2) is not finished (incomplete); continue with `stoic eval"),
        ({"status": "regrading"}, "continue with `stoic regrade --agent-version marcus@1.1.0 --evaluation e2` (same"),
        ({"invalid_trials": 10}, "marcus@1.1.0 (evaluation e2): 10 of 40 trials are invalid, more than the 10 %"),
        ({"scored_trials": 0}, "marcus@1.1.0 (evaluation e2) has no scored trial"),
        ({"offline": True}, "marcus@1.1.0 (evaluation e2) was judged offline and the other was not"),
        ({"jobs": {"c": "1"}}, "marcus@1.1.0 (evaluation e2) have no job in common; evaluate the base again"),
        ({"jobs": {"a": "2", "b": "2"}}, "2 jobs in common, but the content of each changed between the two (a, b)"),
    ],
)
def test_what_may_not_be_compared_is_refused_from_both_sides(
    base: Side, candidate: Side, changes: dict[str, Any], said: str
) -> None:
    changed = replace(candidate, **changes)
    with pytest.raises(ComparisonRefused) as caught:
        common_ground(base, changed, 0.1)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 3
    with pytest.raises(ComparisonRefused):
        common_ground(changed, base, 0.1)


def test_as_many_invalid_trials_as_allowed_are_noted(base: Side, candidate: Side) -> None:
    changed = replace(candidate, scored_trials=27, invalid_trials=3)
    assert common_ground(base, changed, 0.1).notes == ("invalid trials left out: 3 of marcus@1.1.0",)


def test_what_only_one_ran_and_what_changed_is_left_out(base: Side, candidate: Side, make_rows: MakeRows) -> None:
    older = replace(base, jobs={"a": "1", "b": "1", "old": "1"}, measures=make_rows({"a": 0.5, "b": 0.6, "old": 0.7}))
    newer = replace(candidate, jobs={"a": "1", "b": "2", "new": "1"})
    common = common_ground(older, newer, 0.1)
    assert common.jobs == {"a"}
    assert common.notes == (
        "only marcus@1.0.0 ran old; not compared",
        "only marcus@1.1.0 ran new; not compared",
        "changed between the two evaluations and not compared: b",
    )


def test_long_lists_are_cut(base: Side, candidate: Side) -> None:
    older = replace(base, jobs={"a": "1"} | {f"x{place}": "1" for place in range(8)})
    [note] = common_ground(older, replace(candidate, jobs={"a": "1"}, measures=older.measures), 0.1).notes
    assert note == "only marcus@1.0.0 ran x0, x1, x2, x3, x4 and 3 more; not compared"


def test_jobs_in_which_one_side_has_no_valid_trial_are_named(
    base: Side, candidate: Side, make_rows: MakeRows
) -> None:
    older, newer = (
        replace(side, jobs=dict.fromkeys("abcd", "1"), measures=make_rows(dict.fromkeys(measured, 0.5)))
        for side, measured in ((base, "abc"), (candidate, "ad"))
    )
    common = common_ground(older, newer, 0.1)
    assert common.jobs == {"a", "b", "c", "d"}
    assert common.notes == ("measured in only one version, and not compared: b, c, d",)


@pytest.mark.parametrize("measured_by", ["marcus@1.0.0", "marcus@1.1.0"])
def test_of_a_measure_that_disappeared_it_is_said_who_had_it(
    base: Side, candidate: Side, make_rows: MakeRows, measured_by: str
) -> None:
    virtues = make_rows({"a": 0.8, "b": 0.8}, measure="courage")
    sides = [
        replace(side, measures=[*side.measures, *(virtues if side.agent_version == measured_by else [])])
        for side in (base, candidate)
    ]
    common = common_ground(sides[0], sides[1], 0.1)
    assert common.undecidable == {"courage": f"only {measured_by} measured it (2 jobs)"}
    found = {each.measure: each for each in compare(sides[0], sides[1], MinimalDifferences(), 0.1).gating}
    assert (found["courage"].verdict, found["courage"].why) == ("inconclusive", common.undecidable["courage"])
    assert found["justice"].why == "no job measured it in both versions"


def test_a_condition_that_one_alone_ran_is_named(base: Side, candidate: Side, make_rows: MakeRows) -> None:
    newer = replace(candidate, measures=[row for row in candidate.measures if row["condition"] == "withheld"])
    both = [{**row, "condition": condition} for row in newer.measures for condition in ("withheld", "supplied")]
    common = common_ground(replace(base, measures=both), newer, 0.1)
    assert common.notes == ("only marcus@1.0.0 has scored supplied trials of a, b; not compared",)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"judges": frozenset(["k"])}, f"the judges differ (j; then k); {AGAIN}"),
        ({"judges": frozenset("nlmk")}, f"the judges differ (j; then k, l, m, n); {AGAIN}"),
        (
            {"prompts": {("a", "virtues"): frozenset(["q"])}},
            f"the judges' prompts, criteria or options differ; {AGAIN}",
        ),
    ],
)
def test_another_judge_leaves_open_what_it_judged(
    base: Side, candidate: Side, changes: dict[str, Any], why: str
) -> None:
    common = common_ground(base, replace(candidate, **changes), 0.1)
    assert common.undecidable.keys() == JUDGED
    assert len(set(common.undecidable.values())) == 1
    assert common.undecidable["wisdom"] == why
    assert common.notes == (common.undecidable["wisdom"],)


def test_a_version_that_nobody_judged_failed_by_itself(base: Side, candidate: Side) -> None:
    nobody = replace(candidate, judges=frozenset(), prompts={})
    assert common_ground(base, nobody, 0.1).undecidable == common_ground(nobody, base, 0.1).undecidable == {}


def answers(judge: str, silent: float) -> list[Answer]:
    """A hundred questions about tasks, of which a share was not answered."""
    return [Answer("a", "tasks", judge, given=place >= 100 * silent) for place in range(100)]


@pytest.mark.parametrize(("share", "allowed", "open_"), [(0.1, 0.1, False), (0.11, 0.1, True), (0.4, 0.5, False)])
def test_a_judge_that_falls_silent_leaves_open_what_it_judged(
    base: Side, candidate: Side, share: float, allowed: float, open_: bool
) -> None:
    elsewhere = Answer("gone", "tasks", "j", given=False)  # in a job that only one of them has
    older = replace(base, answers=[*answers("j", 0.0), *answers("k", 1.0)])
    newer = replace(candidate, answers=[*answers("j", share), *[elsewhere] * 50])
    for first, second in ((older, newer), (newer, older)):
        common = common_ground(first, second, allowed)
        assert common.undecidable.keys() == (JUDGED if open_ else set())
        said = f"judge j gave no verdict on {percent(share)} of the tasks of marcus@1.1.0, and on 0 % of marcus@1.0.0"
        assert [note.partition(";")[0] for note in common.notes] == [said] * open_


def test_judges_that_are_silent_on_both_alike_leave_nothing_open(base: Side, candidate: Side) -> None:
    older, newer = (replace(side, answers=answers("j", 0.3)) for side in (base, candidate))
    assert common_ground(older, newer, 0.1).undecidable == {}


def test_of_several_judges_that_fell_silent_the_first_by_name_is_told(base: Side, candidate: Side) -> None:
    older, newer = (
        replace(side, answers=[answer for judge in "nlmk" for answer in answers(judge, share)])
        for side, share in ((base, 0.0), (candidate, 1.0))
    )
    [note] = common_ground(older, newer, 0.1).notes
    assert note.startswith("judge k gave no verdict on 100 % of the tasks of marcus@1.1.0")


def test_failed_trials_are_told_of_the_base_first(base: Side, candidate: Side) -> None:
    trial = {"job": "a", "scenario": None, "condition": "withheld", "valid": True, "assertion": None}
    well, failed = ({**trial, "outcome": outcome} for outcome in ("signed_off", "agent_error"))
    older, newer = replace(base, trials=[well, failed]), replace(candidate, trials=[well, well, failed])
    common = common_ground(older, newer, 0.1)
    first, second = "in 1 of 2 trials of marcus@1.0.0", "in 1 of 3 trials of marcus@1.1.0"
    assert common.notes == (f"the agent failed {first}, and {second}",)
    why = f"the agent failed {first} and {second}, which this measure leaves out"
    assert common.left_out["wisdom", "pooled"] == why


def test_prompts_of_jobs_that_are_not_compared_do_not_matter(base: Side, candidate: Side) -> None:
    older = replace(base, jobs={"a": "1", "b": "1", "old": "1"}, prompts={("old", "tasks"): frozenset(["p"])})
    newer = replace(candidate, jobs={"a": "1", "b": "1", "old": "2"}, prompts={("old", "tasks"): frozenset(["q"])})
    assert common_ground(older, newer, 0.1).undecidable == {}


def test_another_question_about_tasks_leaves_open_what_was_judged_unless_one_was_not_stored(
    base: Side, candidate: Side
) -> None:
    older, newer = (
        replace(side, prompts={**side.prompts, ("a", "tasks"): frozenset([asked])})
        for side, asked in ((base, "t"), (candidate, "u"))
    )
    assert common_ground(older, newer, 0.1).notes == (f"the judges' prompts, criteria or options differ; {AGAIN}",)
    assert common_ground(base, newer, 0.1).notes == common_ground(older, candidate, 0.1).notes == ()


def test_other_built_in_prompts_are_noted_and_leave_nothing_open(base: Side, candidate: Side) -> None:
    older, newer = replace(base, built_in_prompts="p"), replace(candidate, built_in_prompts="q")
    common = common_ground(older, newer, 0.1)
    assert common.undecidable == {}
    assert common.notes == (
        "the built-in prompts differ (stoic-eval was updated): simulated users may behave differently",
    )
    alike = [(base, newer), (older, candidate), (older, replace(candidate, built_in_prompts="p"))]
    assert {common_ground(*sides, 0.1).notes for sides in alike} == {()}


def test_scores_of_two_releases_of_stoic_eval_are_noted_with_the_way_to_renew_them(base: Side, candidate: Side) -> None:
    older, newer = replace(base, stoic_eval="0.1.0"), replace(candidate, stoic_eval="0.2.0")
    common = common_ground(older, newer, 0.1)
    assert common.undecidable == {}
    [note] = common.notes
    assert note.startswith("the scores are of Stoic Eval 0.1.0, then 0.2.0, whose rules may differ; compute the base's")
    assert note.endswith(AGAIN.removeprefix("judge the base again"))
    alike = [(base, newer), (older, candidate), (older, replace(candidate, stoic_eval="0.1.0"))]
    assert {common_ground(*sides, 0.1).notes for sides in alike} == {()}


def test_the_version_whose_judge_fell_silent_is_judged_again_and_the_candidate_last(
    base: Side, candidate: Side
) -> None:
    silent, told = answers("j", 1.0), answers("j", 0.0)
    [of_base] = common_ground(replace(base, answers=silent), replace(candidate, answers=told), 0.1).notes
    assert of_base.endswith(AGAIN.removeprefix("judge the base again with "))
    [of_candidate] = common_ground(replace(base, answers=told), replace(candidate, answers=silent), 0.1).notes
    assert of_candidate.endswith("again with `stoic regrade --agent-version marcus@1.1.0 --evaluation e2`")


def test_a_judge_that_moved_is_not_blamed_on_the_agent(base: Side, candidate: Side) -> None:
    other = replace(candidate, judges=frozenset(["k"]))  # what the drift says goes before what follows from it
    common = common_ground(base, other, 0.1, judge_moved="the judge moved by 0.04")
    assert common.undecidable == dict.fromkeys(JUDGED, "the judge moved by 0.04")
    assert common.notes == ("the judge moved by 0.04",)


@pytest.mark.parametrize(
    ("hours", "said"),
    [(1.0, []), (1.1, ["1.1 hours"]), (23.9, ["23.9 hours"]), (24.0, ["1.0 days"]), (816.0, ["34.0 days"])],
)
def test_evaluations_of_other_hours_are_told_of(base: Side, candidate: Side, hours: float, said: list[str]) -> None:
    later = replace(candidate, started_at=base.started_at + timedelta(hours=hours))
    notes = common_ground(base, later, 0.1).notes
    assert notes == tuple(f"marcus@1.0.0 was evaluated {span} before marcus@1.1.0" for span in said)
    assert common_ground(later, base, 0.1).notes == notes


def test_another_user_is_told_of(base: Side, candidate: Side) -> None:
    common = common_ground(base, replace(candidate, evaluator_model="n"), 0.1)
    assert common.notes == ("the simulated users differ: m, then n",)
    assert common.undecidable == {}
