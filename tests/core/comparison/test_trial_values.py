"""What single trials were scored, and verdicts where the versions have different numbers of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

import pytest
from failing_sides import failed, trial
from scipy.stats import t, ttest_ind

from stoic_assets.core.comparison.comparison import compare
from stoic_assets.core.comparison.family import Finding
from stoic_assets.core.comparison.paired_jobs import NO_NOISE, Noise, paired
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.comparison.trial_values import difference_noise, trial_noise, trial_values
from stoic_assets.core.configuration.settings import MinimalDifferences

MakeSide = Callable[..., Side]
ALL_HELD = [[1.0]] * 12
"""One assertion in each of twelve jobs, each tried once."""
MOST_HELD = [[1.0] * held + [0.0] * (10 - held) for held in (10, 9, 8, 9, 10, 9, 7, 9, 10, 9, 8, 9)]
"""Tried ten times each, it held in 107 of 120 trials: one-sided, Fisher's exact test gives p 0.27."""
NINE_HELD = [[1.0] * 9 + [0.0]] * 12
"""More often than that."""
FEW_HELD = [[1.0] * (3 + place % 2) + [0.0] * (7 - place % 2) for place in range(12)]
MIRROR = {"regressed": "improved", "inconclusive": "inconclusive"}


def of_jobs(side: Side, withheld: Sequence[Sequence[float]], supplied: Sequence[Sequence[float]] = ()) -> Side:
    """A side in whose trials, by job, the assertion held or not."""
    trials, rows = [], []
    for condition, jobs in (("withheld", withheld), ("supplied", supplied)):
        for place, values in enumerate(jobs):
            job = f"{place:02}"
            for number, value in enumerate(values):
                trials.append(trial(job, condition, trial_id=f"{job}/{condition}/{number}", assertion=value))
            row = {"job": job, "scenario": None, "condition": condition, "measure": "assertion"}
            rows.append({**row, "mean": sum(values) / len(values)})
    return replace(side, jobs={row["job"]: "1" for row in trials}, trials=trials, measures=rows, virtues=[])


def assertion(base: Side, candidate: Side, scope: str = "pooled") -> Finding:
    findings = compare(base, candidate, MinimalDifferences(), 0.1).findings
    return next(each for each in findings if (each.measure, each.scope) == ("assertion", scope))


@pytest.mark.parametrize(
    ("after", "verdict"), [(MOST_HELD, "inconclusive"), (NINE_HELD, "inconclusive"), (FEW_HELD, "regressed")]
)
def test_one_trial_of_each_job_that_held_may_be_luck(make_side: MakeSide, after: Any, verdict: str) -> None:
    once, often = of_jobs(make_side(), ALL_HELD), of_jobs(make_side(), after)
    assert assertion(once, often).verdict == verdict
    assert assertion(often, once).verdict == MIRROR[verdict]


def test_the_intervals_are_as_wide_as_the_spread_of_single_trials_makes_them(make_side: MakeSide) -> None:
    once, often = of_jobs(make_side(), ALL_HELD), of_jobs(make_side(), MOST_HELD)
    tested = assertion(once, often).effect.tested
    assert tested is not None
    # Within the cells of ten the squares are 10·p·(1 − p), 10.7 in all, in 12·9 degrees of freedom.
    margin = float(t.ppf(0.975, 108)) * sqrt(10.7 / 108 * (1 + 1 / 10) / 12)
    assert (tested.low, tested.high) == pytest.approx((-13 / 120 - margin, -13 / 120 + margin))


def test_a_lift_has_the_noise_of_both_conditions_and_their_mean_a_quarter(make_side: MakeSide) -> None:
    sides = [of_jobs(make_side(), each, each[::-1]) for each in (ALL_HELD, MOST_HELD)]
    alone, pooled, lift = (width(assertion(*sides, scope)) for scope in ("withheld", "pooled", "lift"))
    fewer = float(t.ppf(0.975, 216) / t.ppf(0.975, 108))  # of both conditions together twice as much is known
    assert (pooled, lift) == pytest.approx((alone / sqrt(2) * fewer, alone * sqrt(2) * fewer))


def width(found: Finding) -> float:
    tested = found.effect.tested
    assert tested is not None
    assert tested.low is not None
    assert tested.high is not None
    return tested.high - tested.low


ONCE = [[1.0], [1.0]], [[1.0], [0.0]]
"""Two jobs tried once in both versions; in the candidate one does not hold."""
THRICE = [[1.0, 1.0, 0.0]] * 4, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 0.0]]


@pytest.mark.parametrize("rest", [ONCE, THRICE])
def test_jobs_with_equal_numbers_of_trials_add_their_noise(make_side: MakeSide, rest: Any) -> None:
    (before, after), others = rest, 12 - len(rest[0])
    sides = [of_jobs(make_side(), jobs) for jobs in (ALL_HELD[:others] + before, NINE_HELD[:others] + after)]
    assert assertion(*sides).verdict == "inconclusive"


def test_a_job_tried_once_in_both_versions_counts_by_its_distance_from_the_mean(make_side: MakeSide) -> None:
    sides = [of_jobs(make_side(), first[:10] + rest) for first, rest in zip((ALL_HELD, NINE_HELD), ONCE, strict=True)]
    found = assertion(*sides)
    single, mean = 0.9 / 9 * (1 + 1 / 10), -2 / 12
    variance = (10 * single + ((0 - mean) ** 2 + (-1 - mean) ** 2) * 12 / 11) / 12
    assert width(found) == pytest.approx(2 * float(t.ppf(0.975, 90)) * sqrt(variance / 12))


def test_a_job_of_which_one_condition_is_not_known_is_not_known() -> None:
    withheld, supplied = ("a", "withheld"), ("a", "supplied")
    known, cells = Noise(0.1, 3), {withheld: 0.5, supplied: 0.5}
    for noise in ({withheld: known}, {withheld: known, supplied: NO_NOISE}):
        assert [pair.noise for pair in paired(cells, cells, "pooled", noise)] == [NO_NOISE]


def test_with_equal_numbers_of_trials_the_jobs_tell(make_side: MakeSide) -> None:
    side, other = of_jobs(make_side(), MOST_HELD), of_jobs(make_side(), FEW_HELD)
    assert trial_noise(side, other, {row["job"] for row in side.trials}) == {}


def test_only_valid_trials_of_compared_jobs_count(make_side: MakeSide) -> None:
    side = of_jobs(make_side(), [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    other = of_jobs(make_side(), [[1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, 1.0]])
    other = replace(other, trials=[row | {"valid": row["trial_id"] != "02/withheld/2"} for row in other.trials])
    assert trial_noise(side, other, {"00", "02"}) == {}
    found = trial_noise(side, other, {"00", "01"})["assertion"]
    alike = Noise(pytest.approx(1 / 2), 2)
    unlike = Noise(pytest.approx((1 / 2 + 2 / 3) / 3 * (1 / 2 + 1 / 3)), 3)
    assert found == {("00", "withheld"): alike, ("01", "withheld"): unlike, ("02", "withheld"): alike}


@pytest.mark.parametrize(
    ("before", "after"), [([0.5], [0.2, 0.6, 0.9]), ([0.1, 0.4, 0.3], [0.7, 0.2]), ([0.1, 0.4], [0.7, 0.2])]
)
def test_the_variance_is_that_of_the_t_test_of_two_samples(before: list[float], after: list[float]) -> None:
    noise, known = difference_noise(before, after), ttest_ind(after, before)
    assert noise == difference_noise(after, before)
    difference = sum(after) / len(after) - sum(before) / len(before)
    assert (difference / sqrt(noise.variance), noise.freedom) == pytest.approx((known.statistic, known.df))


def test_a_single_trial_on_each_side_shows_no_spread() -> None:
    assert difference_noise([1.0], [0.0]) == NO_NOISE


@pytest.mark.parametrize(
    ("measure", "values"),
    [("task", [0.75, 0.0]), ("overall", [0.5, 0.0]), ("assertion", [1.0]), ("timing", [1.0]), ("wisdom", [0.9])],
)
def test_a_failed_trial_has_done_nothing_or_says_nothing(
    make_side: MakeSide, measure: str, values: Sequence[float]
) -> None:
    did: Mapping[str, Any] = {"trial_id": "t1", "task": 0.75, "overall": 0.5}
    broke: Mapping[str, Any] = {"trial_id": "t2", "task": None, "overall": 0.0, "timing": 0.3}
    side = make_side(
        trials=[trial("a", **did), failed("a", **broke), trial("a", **did, valid=False)],
        virtues=[{"trial_id": "t1", "virtue": "wisdom", "score": 0.9}],
    )
    assert trial_values(side, measure) == {("a", "withheld"): values}
