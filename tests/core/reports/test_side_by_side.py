"""Two trials side by side: which two, and what is marked."""

import json
from dataclasses import replace
from typing import Any

from rendered_page import Make

from stoic_assets.core.reports.data import EvaluationRows, ReportData
from stoic_assets.core.reports.job_changes import JobChange, job_changes, most_changed
from stoic_assets.core.reports.side_by_side import (
    MOST_PAIRS,
    SideBySide,
    VirtuePair,
    assertion_pairs,
    side_by_side,
    telling_pair,
)
from stoic_assets.core.reports.trial_view import TrialView, VirtueView, trial_views
from stoic_assets.core.reports.version_comparison import differences


def pairs(data: ReportData) -> list[SideBySide]:
    """The flipped jobs of a report."""
    found = differences(data)
    assert found
    assert data.base
    return side_by_side(job_changes(trial_views(data.base), trial_views(data), found.flips), [])


def trial(
    held: dict[str, bool | None], calls: list[list[str]] | None = None, total: float = 0.5, virtues: float | None = None
) -> TrialView:
    """A trial with the results of its assertions by text, and in each turn the functions called."""
    turns = [
        {"trial_id": "t", "turn": number, "speaker": "agent", "content": "Done.", "events": json.dumps(
            [{"request": {"function": name, "arguments": {"id": f"{held}"}}} for name in names]
        )}
        for number, names in enumerate(calls or [])
    ]  # fmt: skip
    results = [
        {"trial_id": "t", "assertion": text, "text": text, "weight": 1.0, "passed": passed}
        for text, passed in held.items()
    ]
    row: dict[str, Any] = {"trial_id": "t", "job": "j", "condition": "withheld", "repeat": 1, "outcome": "signed_off"}
    scores = {**row, "valid": True, "overall": total, "virtue_overall": virtues}
    [view] = trial_views(ReportData({}, [row], turns, assertion_results=results, composite_scores=[scores]))
    return view


def test_flipped_jobs_are_limited_and_have_ids_of_their_own(make_data: Make) -> None:
    found = pairs(make_data())
    assert 1 < len(found) <= MOST_PAIRS
    assert len({pair.anchor for pair in found}) == len(found)
    changes = [found[0].change] * (MOST_PAIRS + 5)
    assert len(side_by_side(changes, changes[:1])) == MOST_PAIRS


def test_the_two_trials_that_differ_most_are_shown() -> None:
    good, middling, bad = (trial({"a": a, "b": b}) for a, b in ((True, True), (True, False), (False, False)))
    both = [middling, good, bad]
    lost = JobChange("j", "c", [trial({}, total=0.9), *both], [*both, trial({}, total=0.4)], [])
    assert telling_pair(lost) == (good, bad)
    gained = JobChange("j", "c", [replace(view, scores={"overall": 0.1}) for view in both], both, [])
    assert [view.failed_assertions for view in telling_pair(gained)] == [2, 0]


def test_where_virtues_tell_the_change_the_two_trials_with_the_largest_are_shown() -> None:
    low, high, unscored = trial({"a": True}, virtues=0.2), trial({"a": False}, virtues=0.9), trial({"a": True})
    middling = trial({"a": True}, virtues=0.5)
    assert telling_pair(JobChange("j", "c", [unscored, middling, high], [unscored, middling, low], [])) == (high, low)
    assert telling_pair(JobChange("j", "c", [middling, low], [unscored, middling, high], [])) == (low, high)


def test_jobs_whose_virtues_changed_most_follow_those_that_flipped() -> None:
    flipped = JobChange("flipped", "c", [trial({})], [replace(trial({}), scores={"passed": True})], [])
    changes = [JobChange(f"j{n}", "c", [trial({}, virtues=0.9)], [trial({}, virtues=0.9 - n / 10)], []) for n in (2, 1)]
    same = JobChange("same", "c", [trial({}, virtues=0.9)], [trial({}, virtues=0.9)], [])
    every = [*changes, same, flipped]
    found = side_by_side(every, most_changed(every, {"overall": 0.0, "virtue_overall": 0.0})[0])
    assert [pair.change.job for pair in found] == ["flipped", "j2", "j1"]
    assert len({pair.anchor for pair in found}) == 3


def test_virtues_of_both_are_set_against_each_other() -> None:
    def of(**scores: float | None) -> TrialView:
        views = [VirtueView(name, {"virtue": name, "score": score}, []) for name, score in scores.items()]
        return replace(trial({}), virtues=views)

    before, after = of(wisdom=0.8, justice=None), of(wisdom=0.3, courage=1.0)
    pair = SideBySide("flip-1", JobChange("j", "c", [before], [after], []), before, after)
    assert pair.virtues == [VirtuePair("wisdom", 0.8, 0.3), VirtuePair("courage", None, 1.0)]


def test_assertions_whose_result_differs_come_first_and_are_marked() -> None:
    before, after = trial({"a": True, "b": True, "old": True}), trial({"a": True, "b": None, "new": True})
    found = SideBySide("flip-1", JobChange("j", "c", [before], [after], []), before, after).assertions
    assert [(pair.this.row["text"], pair.differs) for pair in found] == [("b", True), ("a", False)]


def test_assertions_of_one_text_are_told_apart() -> None:
    before, after = trial({"one": True, "two": False}), trial({"one": False, "two": True})
    for view in (*before.assertions, *after.assertions):
        view.row["text"] = "x"  # type: ignore[index]
    found = assertion_pairs(before, after)
    results = [(pair.this.row["assertion"], pair.base.row["passed"], pair.this.row["passed"]) for pair in found]
    assert results == [("one", True, False), ("two", False, True)]


def test_functions_that_one_version_alone_called_are_told_whatever_their_arguments() -> None:
    before, after = trial({"a": True}, [["remind"], ["look"]]), trial({"a": False}, [["remind"], [], ["write"]])
    pair = SideBySide("flip-1", JobChange("j", "c", [before], [after], []), before, after)
    assert pair.alone == ({"look"}, {"write"})
    assert [turns.same for turns in pair.turns] == [True, False, False]
    assert pair.turns[2].base is None


def test_functions_whose_names_begin_with_the_same_word_are_told_apart() -> None:
    before, after = trial({"a": True}, [["book a table"]]), trial({"a": False}, [["book a flight"]])
    pair = SideBySide("flip-1", JobChange("j", "c", [before], [after], []), before, after)
    assert pair.alone == ({"book a table"}, {"book a flight"})
    assert [turns.same for turns in pair.turns] == [False]


def test_tasks_of_both_are_set_against_each_other(make_data: Make) -> None:
    shown = [pair for pair in pairs(make_data()) if pair.this.tasks and pair.base.tasks]
    assert [(task.base["task"], task.this["score"]) for task in shown[0].tasks] == [("1", 0.85)]


def test_a_base_without_stored_turns_is_no_fault(make_data: Make) -> None:
    data = make_data()
    assert isinstance(data.base, EvaluationRows)
    [pair, *_] = pairs(replace(data, base=replace(data.base, turns=(), observations=(), task_scores=())))
    assert {turns.base for turns in pair.turns} == {None}
    assert pair.tasks == []
