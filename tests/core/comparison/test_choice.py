"""Which of several evaluations of two versions are compared, and what is said of newer ones."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from stoic_assets.core.comparison.choice import Stored, fuller, most_alike, passed_over, repeated

OLD, NEW = "marcus@1.0.0", "marcus@1.1.0"


def stored(evaluation_id: str, jobs: str = "abcdef", offline: bool = False, conclusive: bool = True) -> Stored:
    """An evaluation of the base; its jobs are letters, capital where their content is another."""
    return Stored(OLD, evaluation_id, offline, conclusive, {(job.lower(), None): job for job in jobs})


FULL, TRY = stored("full"), stored("try", "a")
INVALID, OFFLINE = stored("invalid", conclusive=False), stored("offline", offline=True)


def chosen(bases: Sequence[Stored], candidates: Sequence[Stored]) -> tuple[str, str]:
    base, candidate = most_alike(bases, candidates)
    return base.evaluation_id, candidate.evaluation_id


@pytest.mark.parametrize(
    ("bases", "taken"),
    [
        ([stored("newer"), FULL], "newer"),
        ([TRY, FULL], "full"),
        ([stored("changed", "ABCDEf"), FULL], "full"),
        ([INVALID, FULL, stored("older")], "full"),
        ([INVALID, TRY], "try"),
        ([OFFLINE, TRY], "try"),
        ([OFFLINE, INVALID], "invalid"),
        ([INVALID, stored("older", conclusive=False)], "invalid"),
    ],
)
def test_of_the_base_the_conclusive_one_of_the_same_kind_with_most_in_common_is_taken(
    bases: list[Stored], taken: str
) -> None:
    assert chosen(bases, [stored("new")]) == (taken, "new")


def test_an_offline_evaluation_is_held_against_an_offline_one() -> None:
    assert chosen([FULL, OFFLINE], [stored("new", offline=True)]) == ("offline", "new")


@pytest.mark.parametrize(
    ("candidates", "taken"),
    [
        ([TRY, FULL], "full"),
        ([stored("newer"), FULL], "newer"),
        ([INVALID, FULL], "invalid"),
        ([OFFLINE, TRY], "try"),
    ],
)
def test_of_the_candidate_too_but_invalid_trials_are_not_hidden(candidates: list[Stored], taken: str) -> None:
    assert chosen([stored("base"), OFFLINE], candidates) == ("base", taken)


@pytest.mark.parametrize(
    ("newest", "why"),
    [
        (TRY, "try is newer, but has 1 job in common with evaluation new of marcus@1.1.0, not 6"),
        (stored("z", "z"), f"z is newer, but has no job in common with evaluation new of {NEW}; the older one has 6"),
        (INVALID, "invalid is newer, but has too many invalid trials"),
        (OFFLINE, "offline is newer, but was judged offline"),
    ],
)
def test_why_the_newest_was_passed_over_is_said(newest: Stored, why: str) -> None:
    other = Stored(NEW, "new", False, True, FULL.jobs)
    assert passed_over(newest, FULL, other) == f"{OLD} is compared by its evaluation full; {why}"
    assert passed_over(FULL, FULL, other) is None


def test_an_older_evaluation_by_which_much_more_could_be_compared_is_told_of() -> None:
    base, newest = stored("base"), Stored(NEW, "try", False, True, TRY.jobs)
    assert fuller((base, newest), (base, FULL)) == (
        f"{NEW} has no release manifest and is compared by its newest evaluation, with 1 job in common; "
        "an older one has 6: `--evaluation full`"
    )
    changed = Stored(NEW, "changed", False, True, stored("", "ABcdef").jobs)
    assert fuller((base, changed), (base, FULL)) is None


def suite(evaluation_id: str, scenarios: int, *cases: tuple[str, str | None]) -> Stored:
    """An evaluation of one job with so many scenarios, of which some were repeated."""
    played = {("talk", f"s{number}"): "hash" for number in range(scenarios)}
    return Stored(OLD, evaluation_id, False, True, played, frozenset(cases))


def test_each_scenario_is_a_job_in_common() -> None:
    assert suite("a", 10).in_common(suite("b", 8)) == 8
    assert chosen([suite("newer", 7), FULL], [suite("talk", 10), stored("older")]) == ("newer", "talk")


def test_evaluations_with_several_trials_are_told_of_where_those_that_were_taken_have_none() -> None:
    taken, twice = suite("once", 3), ("talk", "s1")
    bases = [taken, suite("b1", 3, twice, ("talk", "s2")), suite("b2", 3, twice)]
    candidates = [taken, suite("c", 3, twice)]
    assert repeated((taken, taken), bases, candidates) == (
        "no job has several trials in both evaluations, so no assertion is certain to be broken; of 1 job there are "
        "others that have: `--evaluation b1 --evaluation c`"
    )
    assert repeated((bases[1], candidates[1]), bases, candidates) is None
    assert repeated((taken, taken), [taken], candidates) is None
    offline = replace(candidates[1], offline=True)
    assert repeated((taken, taken), bases, [taken, offline]) is None
