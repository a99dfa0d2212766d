"""When two evaluations may be compared, on what, and what must be said of it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from stoic_assets.core.comparison.comparable import common_ground
from stoic_assets.core.comparison.comparison import compare
from stoic_assets.core.comparison.side import ComparisonRefused, Side
from stoic_assets.core.configuration.settings import MinimalDifferences

MakeRows = Callable[..., list[dict[str, Any]]]


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
    assert common.undecidable == {"courage": f"measured only in {measured_by} (2 jobs)"}
    found = {each["measure"]: each for each in compare(sides[0], sides[1], MinimalDifferences(), 0.1).gating}
    assert (found["courage"]["verdict"], found["courage"]["why"]) == ("inconclusive", common.undecidable["courage"])
    assert found["justice"]["why"] == "neither version measured it"


def test_a_condition_that_one_alone_ran_is_named(base: Side, candidate: Side, make_rows: MakeRows) -> None:
    newer = replace(candidate, measures=[row for row in candidate.measures if row["condition"] == "withheld"])
    both = [{**row, "condition": condition} for row in newer.measures for condition in ("withheld", "supplied")]
    common = common_ground(replace(base, measures=both), newer, 0.1)
    assert common.notes == ("only marcus@1.0.0 has scored supplied trials of a, b; not compared",)


def test_failed_trials_are_told_of_the_base_first(base: Side, candidate: Side) -> None:
    trial = {"job": "a", "scenario": None, "condition": "withheld", "valid": True, "assertion": None}
    well, failed = ({**trial, "outcome": outcome} for outcome in ("signed_off", "agent_error"))
    older, newer = replace(base, trials=[well, failed]), replace(candidate, trials=[well, well, failed])
    common = common_ground(older, newer, 0.1)
    first, second = "in 1 of 2 trials of marcus@1.0.0", "in 1 of 3 trials of marcus@1.1.0"
    assert common.notes == (f"the agent failed {first}, and {second}",)
    why = f"the agent failed {first} and {second}, which this measure leaves out"
    assert common.left_out["wisdom", "pooled"] == why


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
