"""What failed trials that a measure leaves out forbid to say of the others."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from statistics import fmean
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoic_assets.core.comparison.comparison import Comparison, compare
from stoic_assets.core.comparison.failed_trials import failure_note, failures_left_out
from stoic_assets.core.comparison.family import Finding
from stoic_assets.core.comparison.measures import GATING, LEAVING_FAILURES_OUT
from stoic_assets.core.comparison.paired_jobs import Scope, cells_by_measure
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.comparison.survivors import without_worst
from stoic_assets.core.settings import MinimalDifferences
from stoic_assets.core.virtues import VIRTUES

Row = dict[str, Any]
JOBS = {"a", "b"}


def trial(job: str, condition: str = "withheld", **columns: Any) -> Row:
    """A row of `composite_scores` of a trial in which the agent did well."""
    plain = {"job": job, "scenario": None, "condition": condition, "outcome": "signed_off", "valid": True}
    return plain | {"assertion": 1.0, "timing": 1.0} | columns


def failed(job: str, condition: str = "withheld", **columns: Any) -> Row:
    return trial(job, condition, **{"outcome": "agent_error", "assertion": None, "timing": None} | columns)


@pytest.fixture
def sides(make_side: Callable[..., Side], make_rows: Callable[..., list[Row]]) -> Callable[..., tuple[Side, Side]]:
    """A base with those trials, and a candidate; both measured everything in both jobs."""

    def make(before: list[Row], after: list[Row]) -> tuple[Side, Side]:
        measured = [make_rows({"a": 1, "b": 1}, *each) for each in product(GATING, ("withheld", "supplied"))]
        rows = [row for each in measured for row in each]
        base = make_side(measures=rows, trials=before)
        return base, replace(base, agent_version="marcus@1.1.0", trials=after)

    return make


def test_where_the_agent_never_failed_nothing_is_said(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = sides([trial("a"), trial("b")], [trial("a"), trial("b")])
    assert failure_note(base, candidate, JOBS) is None
    assert failures_left_out(base, candidate, JOBS) == {}


def test_what_is_left_out_is_told_by_measure_and_scope(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = sides([trial("a"), trial("b")], [trial("a"), failed("b")])
    note = "the agent failed in 0 of 2 trials of marcus@1.0.0, and in 1 of 2 trials of marcus@1.1.0"
    assert failure_note(base, candidate, JOBS) == note
    note = "the agent failed in 1 of 2 trials of marcus@1.1.0, and in 0 of 2 trials of marcus@1.0.0"
    assert failure_note(candidate, base, JOBS) == note
    why = "the agent failed in 1 of 2 trials of marcus@1.1.0, which this measure leaves out"
    told = {*product({*VIRTUES, "timing", "assertion"}, ("pooled", "withheld"))}
    assert {*product(LEAVING_FAILURES_OUT, ("pooled", "withheld"))} == told
    assert failures_left_out(base, candidate, JOBS) == dict.fromkeys(told, why)
    assert failures_left_out(candidate, base, JOBS) == dict.fromkeys(told, why)


def test_both_sides_are_named_where_both_failed(sides: Callable[..., tuple[Side, Side]]) -> None:
    base, candidate = sides([trial("a"), trial("a"), failed("b")], [trial("a"), failed("a"), trial("b")])
    where = "in 1 of 3 trials of marcus@1.0.0 and in 1 of 3 trials of marcus@1.1.0"
    why = f"the agent failed {where}, which this measure leaves out"
    assert failures_left_out(base, candidate, JOBS)["wisdom", "pooled"] == why


def test_an_assertion_may_be_decided_in_spite_of_the_failure(sides: Callable[..., tuple[Side, Side]]) -> None:
    """The time of the replies before it says nothing of the one that did not come."""
    base, candidate = sides([trial("a")], [failed("a", timing=0.3, assertion=0.0)])
    assert {measure for measure, _ in failures_left_out(base, candidate, JOBS)} == {*VIRTUES, "timing"}


@pytest.mark.parametrize(("job", "touched"), [("a", True), ("b", False)])
def test_a_lift_is_touched_by_jobs_alone_that_have_one(
    sides: Callable[..., tuple[Side, Side]], job: str, touched: bool
) -> None:
    both = [trial("a"), trial("a", "supplied"), trial("b")]
    left_out = failures_left_out(*sides(both, [*both, failed(job)]), JOBS)
    assert ("wisdom", "withheld") in left_out
    assert ("wisdom", "supplied") not in left_out
    assert (("wisdom", "lift") in left_out) == touched


@pytest.mark.parametrize("stored", [True, False])
def test_a_measure_that_a_job_does_not_have_misses_none_of_its_trials(
    sides: Callable[..., tuple[Side, Side]], stored: bool
) -> None:
    def without(row: Row) -> list[Row]:
        return [row] if (row["measure"], row["job"]) != ("timing", "b") else [{**row, "mean": None}] * stored

    base, candidate = (
        replace(side, measures=[each for row in side.measures for each in without(row)])
        for side in sides([trial("a"), trial("b")], [trial("a"), failed("b")])
    )
    left_out = failures_left_out(base, candidate, JOBS)
    assert ("timing", "pooled") not in left_out
    assert ("assertion", "pooled") in left_out


@pytest.mark.parametrize(
    "left_out", [failed("a", "supplied"), failed("other"), failed("a", scenario="s"), failed("a", valid=False)]
)
def test_trials_that_are_not_compared_do_not_count(
    sides: Callable[..., tuple[Side, Side]], left_out: Row
) -> None:
    base, candidate = sides([trial("a")], [trial("a"), left_out])
    assert failure_note(base, candidate, JOBS) is None
    assert failures_left_out(base, candidate, JOBS) == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [(failed("b"), trial("b", valid=False)), (trial("b", valid=False), failed("b")), (failed("other"), trial("other"))],
)
def test_nor_do_those_that_the_other_side_has_none_to_compare_with(
    sides: Callable[..., tuple[Side, Side]], before: Row, after: Row
) -> None:
    base, candidate = sides([trial("a"), before], [trial("a"), after])
    assert failure_note(base, candidate, JOBS) is None
    assert failures_left_out(base, candidate, JOBS) == {}


@pytest.mark.parametrize(
    ("own", "others", "mean"),
    [
        ([0.9, 0.3, 0.6], [0.5] * 3, 0.6),
        ([0.9, 0.3, 0.6], [0.5, 0.5, None], 0.75),
        ([0.9, 0.3, 0.6], [0.5, None, None], 0.9),
        ([0.9, 0.3, 0.6], [0.5, None], (0.9 + 0.6 / 2) / 1.5),  # half of three
        ([0.9, 0.3, None], [0.5, None], 0.9),  # half of the two that it completed
        ([0.9, None, None], [0.5, 0.5, 0.5], 0.9),
        ([0.9, 0.3, 0.6], [None] * 3, 0.6),  # not compared
        ([0.9, "silent", "silent"], [0.5, 0.5, None], None),  # it may be the one that has a score
        ([0.9, 0.3, "silent"], [0.5, 0.5, None], 0.9),
    ],
)
def test_the_worst_trials_are_left_out_in_the_share_that_the_other_side_failed_in(
    make_side: Callable[..., Side], own: list[Any], others: list[Any], mean: float | None
) -> None:
    side, other = (scored(make_side(), each) for each in (own, others))
    measured = {**cells_by_measure(side.measures), "task": {"a": {"withheld": 0.5}}}
    found = without_worst(measured, cells_by_measure(other.measures), side, other, JOBS)
    assert found["wisdom"]["a"].get("withheld") == (mean and pytest.approx(mean))
    assert found["task"] == {"a": {"withheld": 0.5}}


def test_the_worst_are_left_out_in_whichever_cell_they_are_but_under_the_same_condition(
    make_side: Callable[..., Side]
) -> None:
    """They are measured against the mean of their cell: a hard job is not made up of bad trials."""
    cells = {("a", "withheld"): [0.9, 0.1], ("b", "withheld"): [0.2, 0.2], ("a", "supplied"): [0.8, 0.0]}
    side = _of_cells(make_side(), cells)
    other = _of_cells(make_side(), {**cells, ("b", "withheld"): [0.2, None]})
    found = wisdom_without_worst(side, other)
    assert found == {"a": {"withheld": pytest.approx(0.9), "supplied": pytest.approx(0.4)}, "b": {"withheld": 0.2}}


def test_of_trials_that_are_equally_bad_as_large_a_part_is_left_out_in_each_job(make_side: Callable[..., Side]) -> None:
    """Else the names of the jobs would decide which of them lose a trial."""
    side = _of_cells(make_side(), {("a", "withheld"): [0.9, 0.3], ("b", "withheld"): [0.7, 0.1]})
    other = _of_cells(make_side(), {("a", "withheld"): [0.5, None], ("b", "withheld"): [0.5, 0.5]})
    means = [pytest.approx((0.9 + 0.3 / 2) / 1.5), pytest.approx((0.7 + 0.1 / 2) / 1.5)]
    assert wisdom_without_worst(side, other) == {job: {"withheld": mean} for job, mean in zip("ab", means, strict=True)}


@pytest.mark.parametrize("other_way", [failed("a", timing=0.0), trial("a", timing=0.0, valid=False)])
def test_a_trial_that_does_not_count_anyway_is_none_of_the_worst(
    make_side: Callable[..., Side], other_way: Row
) -> None:
    """The replies before the failure were timed as well."""

    def timed(*trials: Row) -> Side:
        rows = [each | {"trial_id": f"t{number}"} for number, each in enumerate(trials)]
        cell = {"measure": "timing", "job": "a", "scenario": None, "condition": "withheld", "mean": 0.6}
        return replace(make_side(), trials=rows, measures=[cell])

    side = timed(trial("a", timing=0.9), trial("a", timing=0.3), other_way)
    other = timed(trial("a", timing=0.6), failed("a"))
    own, others = (cells_by_measure(each.measures) for each in (side, other))
    found = without_worst(own, others, side, other, JOBS)
    assert found["timing"]["a"]["withheld"] == pytest.approx(0.9)


FIVE = ("a", "b", "c", "d", "e")


@pytest.mark.parametrize(
    ("others", "kept"),
    [
        ([[0.5], [0.3], [0.5], [0.6], [0.4]], "abcde"),
        ([[None], [0.3], [0.5], [0.6], [0.4]], "bce"),  # furthest below the other side in d
        ([[None, None], [None], [0.5], [0.6], [0.4]], "e"),
        ([["silent"], [0.3], [0.5], [0.6], [0.4]], "bcde"),  # nothing failed in a
        ([["silent", None], [0.3], [0.5], [0.6], [0.4]], "bce"),
    ],
)
def test_as_many_of_the_worst_cells_are_left_out_as_the_other_side_failed_throughout(
    make_side: Callable[..., Side], others: list[list[Any]], kept: str
) -> None:
    side = _of_cells(make_side(), {(job, "withheld"): [0.5] for job in FIVE})
    other = _of_cells(make_side(), {(job, "withheld"): scores for job, scores in zip(FIVE, others, strict=True)})
    found, measured = wisdom_without_worst(side, other), {row["job"] for row in other.measures}
    assert {job for job in measured if found[job]} == set(kept)


def test_of_cells_that_are_equally_bad_that_of_the_job_that_is_worse_in_all_goes_first(
    make_side: Callable[..., Side]
) -> None:
    """Else the names of the jobs would decide."""
    for bad, good in (("a", "b"), ("b", "a")):
        level = {(job, condition): [0.5] for job in FIVE for condition in ("withheld", "supplied")}
        other = _of_cells(make_side(), {**level, (bad, "supplied"): [0.9], ("d", "withheld"): [None]})
        found = wisdom_without_worst(_of_cells(make_side(), {**level, ("c", "withheld"): [0.8]}), other)
        assert found[bad].keys() == {"supplied"}
        assert found[good].keys() == {"supplied", "withheld"}


def test_how_much_worse_a_job_is_in_all_goes_by_what_both_measured(make_side: Callable[..., Side]) -> None:
    level = {(job, condition): [0.5] for job in "ab" for condition in ("withheld", "supplied")}
    other = _of_cells(make_side(), {**level, ("b", "supplied"): ["silent"], ("c", "withheld"): [None]})
    side = _of_cells(make_side(), {**level, ("a", "supplied"): [0.4], ("c", "withheld"): [0.8]})
    found = wisdom_without_worst(side, other)
    assert found["a"].keys() == {"supplied"}
    assert found["b"]["withheld"] == 0.5


def test_a_cell_of_which_only_a_rounding_error_is_left_is_not_compared(make_side: Callable[..., Side]) -> None:
    """15 / 22 · 22 is less than 15: the 14 bad trials and the one that is as good as the mean of its cell."""
    side = _of_cells(make_side(), {("a", "withheld"): [0.5], ("b", "withheld"): [0.4] * 14 + [0.7] * 7})
    other = _of_cells(make_side(), {("a", "withheld"): [0.5], ("b", "withheld"): [0.5] * 6 + [None] * 15})
    assert wisdom_without_worst(side, other) == {"a": {}, "b": {"withheld": pytest.approx(0.7)}}


def test_cells_that_only_the_rounding_of_binary_numbers_sets_apart_are_equally_bad(
    make_side: Callable[..., Side]
) -> None:
    """0.5 − 0.4 is less than 0.4 − 0.3."""
    own, others = ({"a": 0.4, "b": 0.5, "c": 0.5}, {"a": 0.3, "b": 0.4, "c": None})
    side, other = (
        _of_cells(make_side(), {(job, "withheld"): [score] for job, score in each.items()}) for each in (own, others)
    )
    found = wisdom_without_worst(side, other)
    assert (found["a"], found["b"]) == ({}, {"withheld": 0.5})


def wisdom_without_worst(side: Side, other: Side) -> Any:
    own, others = (cells_by_measure(each.measures) for each in (side, other))
    return without_worst(own, others, side, other, set(FIVE))["wisdom"]


def _of_cells(side: Side, cells: Mapping[tuple[str, str], Sequence[Any]]) -> Side:
    """Trials with their wisdom; None where the agent failed, a text where the judge gave no score."""
    trials, virtues, rows = [], [], []
    for (job, condition), scores in cells.items():
        ids = [f"{job}/{condition}/{place}" for place in range(len(scores))]
        each = list(zip(ids, scores, strict=True))
        known = {id_: score for id_, score in each if isinstance(score, float)}
        trials += [(failed if score is None else trial)(job, condition, trial_id=id_) for id_, score in each]
        virtues += [{"trial_id": id_, "virtue": "wisdom", "score": score} for id_, score in known.items()]
        virtues += [{"trial_id": id_, "virtue": "courage", "score": 0.1} for id_ in known]
        row = {"measure": "wisdom", "job": job, "scenario": None, "condition": condition}
        rows += [{**row, "mean": fmean(known.values())}] if known else []
    return replace(side, trials=trials, virtues=virtues, measures=rows)


def scored(side: Side, scores: Sequence[Any]) -> Side:
    """The trials of one cell."""
    return _of_cells(side, {("a", "withheld"): scores})


CELL = st.lists(st.floats(0, 1), min_size=1, max_size=5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(scores=CELL, data=st.data())
def test_no_choice_of_trials_gives_a_higher_mean_than_without_the_worst(
    make_side: Callable[..., Side], scores: list[float], data: st.DataObject
) -> None:
    """Whichever trials the other side's failures correspond to."""
    fails = data.draw(st.integers(0, len(scores) - 1))
    side, other = scored(make_side(), scores), scored(make_side(), [None] * fails + [0.5] * (len(scores) - fails))
    found = wisdom_without_worst(side, other)["a"]["withheld"]
    choices = [fmean(chosen) for chosen in combinations(scores, len(scores) - fails)]
    assert found == pytest.approx(max(choices))


TEN = [f"{place:02}" for place in range(10)]
NONE_FAILED: Mapping[str, int] = {}
EVERY_JOB = dict.fromkeys(TEN, 2)


@pytest.fixture
def compared(make_side: Callable[..., Side]) -> Callable[..., Comparison]:
    """Ten jobs of four trials under each condition, the candidate's wisdom moved by about `shift`.

    By job, how many of the worst trials each side failed in, under the supplied condition.
    """

    def make(shift: float, before: Mapping[str, int], after: Mapping[str, int], lift: float = 0.0) -> Comparison:
        base, candidate = (
            _of_ten_jobs(make_side(agent_version=version), change, lost, more)
            for version, change, lost, more in (
                ("marcus@1.0.0", 0.0, before, 0.0), ("marcus@1.1.0", shift, after, lift),
            )
        )
        return compare(base, candidate, MinimalDifferences(), 0.5)

    return make


def _of_ten_jobs(side: Side, shift: float, lost: Mapping[str, int], lift: float) -> Side:
    cells = {}
    for (place, job), condition in product(enumerate(TEN), ("withheld", "supplied")):
        fails = lost.get(job, 0) if condition == "supplied" else 0
        raised = (shift + (lift if condition == "supplied" else 0.0)) * (1.1 if place % 2 else 0.9)
        scores = [score + raised for score in (0.2, 0.4, 0.6, 0.8)]
        cells[job, condition] = [*[None] * fails, *scores[fails:]]
    return replace(_of_cells(side, cells), jobs=dict.fromkeys(TEN, "1"))


def wisdom(comparison: Comparison, scope: Scope = "pooled") -> Finding:
    return next(each for each in comparison.findings if (each.measure, each.scope) == ("wisdom", scope))


@pytest.mark.parametrize(
    ("shift", "before", "after", "verdict"),
    [
        (-0.2, {"00": 1}, {"01": 1}, "regressed"),  # some failures on each side hide no drop of 0.2
        (-0.2, {"00": 4}, NONE_FAILED, "regressed"),
        (-0.2, NONE_FAILED, EVERY_JOB, "regressed"),  # the candidate's own failures make it no better
        (-0.2, EVERY_JOB, EVERY_JOB, "regressed"),
        (-0.2, EVERY_JOB, NONE_FAILED, "regressed"),  # without the candidate's worst trials too
        (-0.02, EVERY_JOB, NONE_FAILED, "inconclusive"),  # the base failed where it did badly: −0.12, and −0.02
        (0.2, NONE_FAILED, {"00": 1}, "improved"),
        (0.2, NONE_FAILED, EVERY_JOB, "improved"),
        (0.02, NONE_FAILED, EVERY_JOB, "inconclusive"),  # the candidate fails where it did badly: +0.12, and +0.02
        (0.2, EVERY_JOB, NONE_FAILED, "improved"),
        (0.01, NONE_FAILED, NONE_FAILED, "unchanged"),
        (0.01, {"00": 1}, {"01": 1}, "unchanged"),
        (-0.1, NONE_FAILED, EVERY_JOB, "inconclusive"),  # ±0.00 with the failures, −0.10 like with like
        (0.1, EVERY_JOB, NONE_FAILED, "inconclusive"),
    ],
)
def test_a_verdict_holds_if_it_comes_out_without_the_worst_trials_of_whom_it_disfavours(
    compared: Callable[..., Comparison], shift: float, before: Any, after: Any, verdict: str
) -> None:
    assert wisdom(compared(shift, before, after)).verdict == verdict


NO_SPREAD = "; every job scored the same in both versions, so there is no spread to test with"


@pytest.mark.parametrize(
    ("shift", "failed_in", "rest"),
    [
        (0.02, EVERY_JOB, "+0.02 (95 % interval +0.02 to +0.02), and the verdict unchanged"),
        (-0.06, EVERY_JOB, "−0.06 (95 % interval −0.06 to −0.06), and the verdict regressed"),
        (0.0, EVERY_JOB, f"±0.00{NO_SPREAD}"),
        (0.02, dict.fromkeys(TEN[:5], 2), "+0.02 (95 % interval −0.02 to +0.06), which may be chance"),
        (0.04, {"00": 3}, "+0.04 (95 % interval +0.01 to +0.08): significant, but +0.04 is smaller than δ 0.05"),
        (-0.02, {"00": 3, "01": 3}, "−0.02 (95 % interval −0.06 to +0.03), not surely within ±δ"),
    ],
)
def test_a_verdict_that_falls_says_what_would_be_found(
    compared: Callable[..., Comparison], shift: float, failed_in: Mapping[str, int], rest: str
) -> None:
    fails = sum(failed_in.values())
    left_out = f"the agent failed in {fails} of 80 trials of marcus@1.1.0, which this measure leaves out"
    found = wisdom(compared(shift, NONE_FAILED, failed_in))
    without = "without as many of the worst trials and jobs of marcus@1.0.0"
    assert (found.verdict, found.why) == ("inconclusive", f"{left_out}; {without} the difference is {rest}")


def test_a_verdict_falls_where_nothing_is_left_without_the_worst_trials(
    compared: Callable[..., Comparison], make_side: Callable[..., Side]
) -> None:
    """The judge gave no score to some trials: those that failed on the other side may be all that have one."""
    whole = compared(0.2, NONE_FAILED, dict.fromkeys(TEN, 3))
    lone = {f"{job}/{condition}/3" for job, condition in product(TEN, ("withheld", "supplied"))}
    silent = replace(whole.base, virtues=[row for row in whole.base.virtues if row["trial_id"] in lone])
    rows = [{**row, "mean": 0.8} for row in whole.base.measures]
    supplied = [row for row in rows if row["condition"] == "supplied"]
    of_candidate = [row for row in whole.candidate.measures if row["condition"] == "supplied"]
    found = compare(
        replace(silent, measures=supplied), replace(whole.candidate, measures=of_candidate), MinimalDifferences(), 0.5
    )
    for scope in ("pooled", "supplied"):
        why = wisdom(found, scope).why or ""
        assert why.endswith("worst trials and jobs of marcus@1.0.0 nothing is left to compare")


@pytest.mark.parametrize(("level", "said"), [(0.3, "improved"), (0.02, "inconclusive")])
def test_jobs_that_the_candidate_failed_throughout_make_it_no_better(
    make_side: Callable[..., Side], level: float, said: str
) -> None:
    """It fails where it lost most: what is left is better by chance or, at the higher level, for all that."""
    moves = [-0.3, -0.25, -0.2, *(level + spread for spread in (-0.05, -0.02, 0.0, 0.0, 0.03, 0.05, 0.12, 0.15, 0.2))]
    before = {(f"{place:02}", "withheld"): [0.5, 0.5] for place in range(len(moves))}
    after = {cell: [0.5 + move] * 2 for cell, move in zip(before, moves, strict=True)}
    lost = after | {cell: [None, None] for cell in list(after)[:3]}
    assert _wisdom_of(make_side, before, lost).verdict == said
    mirrored = _wisdom_of(make_side, lost, before)
    assert mirrored.verdict == {"improved": "regressed"}.get(said, said)


def test_the_names_of_the_jobs_decide_nothing(make_side: Callable[..., Side]) -> None:
    """Coarse scores are often equally far from the mean of their cell."""
    before = [[0.5] * 3] * 12
    after = [[None, 0.5 + gain, 0.5 + gain] for gain in (*[0.3] * 6, *[0.0, 0.02] * 3)]
    found = []
    for names in ("abcdefghijkl", "lkjihgfedcba"):
        cells = [{(job, "withheld"): of for job, of in zip(names, side, strict=True)} for side in (before, after)]
        found.append(_wisdom_of(make_side, *cells))
    assert found[0].verdict == found[1].verdict == "improved"
    assert found[0].effect.difference == pytest.approx(found[1].effect.difference)


def _wisdom_of(make_side: Callable[..., Side], *cells: Mapping[tuple[str, str], Sequence[Any]]) -> Finding:
    """What is found between two versions of those trials."""
    jobs = {job: "1" for each in cells for job, _ in each}
    base, candidate = (
        _of_cells(make_side(agent_version=version, jobs=jobs), each)
        for version, each in zip(("marcus@1.0.0", "marcus@1.1.0"), cells, strict=True)
    )
    return wisdom(compare(base, candidate, MinimalDifferences(), 0.5))


@pytest.mark.parametrize("condition", ["supplied", "withheld"])
def test_a_lift_is_open_where_the_agent_failed_throughout_under_one_condition(
    make_side: Callable[..., Side], condition: str
) -> None:
    level = {(job, name): [0.5 + place / 100] for place, job in enumerate(TEN) for name in ("supplied", "withheld")}
    jobs = dict.fromkeys(TEN, "1")
    base = _of_cells(make_side(jobs=jobs), level)
    candidate = _of_cells(make_side(jobs=jobs), {**level, ("00", condition): [None]})
    assert ("wisdom", "lift") in failures_left_out(base, candidate, set(TEN))


def test_a_lift_is_open_where_the_agent_failed(compared: Callable[..., Comparison]) -> None:
    apart = wisdom(compared(0.0, {"00": 1}, NONE_FAILED, lift=0.3), "lift")
    left_out = "the agent failed in 1 of 80 trials of marcus@1.0.0, which this measure leaves out"
    why = f"{left_out}; failures under one condition raise a lift, under the other they lower it"
    assert (apart.verdict, apart.why) == ("inconclusive", why)
    assert wisdom(compared(0.0, NONE_FAILED, NONE_FAILED, lift=0.3), "lift").verdict == "improved"
