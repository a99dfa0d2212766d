"""What other judges, prompts or releases leave open when two evaluations are compared."""

from dataclasses import replace
from typing import Any

import pytest

from stoic_assets.core.comparison.comparable import common_ground
from stoic_assets.core.comparison.measures import JUDGED
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.judging.silent_judges import Answer
from stoic_assets.core.presentation.formatting import percent

AGAIN = (
    "judge the base again with `stoic regrade --agent-version marcus@1.0.0 --evaluation e1`, and then, to renew the "
    "stored comparison, with `stoic regrade --agent-version marcus@1.1.0 --evaluation e2`"
)


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


def test_models_that_changed_behind_their_names_are_noted_and_leave_nothing_open(base: Side, candidate: Side) -> None:
    older, newer = (
        replace(side, served={("judge", "j"): {f"j-{year}": 9}, ("evaluator", "m"): {f"m-{year}": 4}})
        for side, year in ((base, 2025), (candidate, 2026))
    )
    common = common_ground(older, newer, 0.1)
    assert common.undecidable == {}
    assert common.notes == (
        "the simulated user m was answered by m-2025, then by m-2026",
        "judge j was answered by j-2025, then by j-2026; it may judge differently: "
        + AGAIN.replace("--evaluation e1`", "--evaluation e1 --fresh`"),
    )


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


def test_what_is_above_the_threshold_by_rounding_alone_leaves_nothing_open(base: Side, candidate: Side) -> None:
    older, newer = replace(base, answers=answers("j", 0.3)), replace(candidate, answers=answers("j", 0.4))
    assert common_ground(older, newer, 0.1).undecidable == {}, "0.4 − 0.3 is 0.10000000000000003"


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
