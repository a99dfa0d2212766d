"""The verdict on one measure among several, and what is said of it; against scipy's and statsmodels' own steps."""

from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp
from statsmodels.stats.multitest import multipletests

from stoic_assets.core.comparison.family import Finding, Test, decide
from stoic_assets.core.comparison.measures import GATING
from stoic_assets.core.comparison.paired_jobs import Pair, paired


def pairs_of(differences: Sequence[float], base: float = 0.5) -> list[Pair]:
    return [Pair(f"{place:02}", base, base + difference) for place, difference in enumerate(differences)]


@given(st.lists(st.lists(st.floats(-0.3, 0.3), min_size=12, max_size=12), min_size=9, max_size=9))
def test_verdicts_are_those_of_scipy_and_statsmodels(differences: list[list[float]]) -> None:
    assume(all(max(each) - min(each) > 1e-3 for each in differences))
    tests = [Test(m, "pooled", pairs_of(each), 0.05) for m, each in zip(GATING, differences, strict=True)]
    observed = [[pair.difference for pair in test.pairs] for test in tests]
    findings = decide(tests, True)
    for side, verdict in (("less", "regressed"), ("greater", "improved")):
        p = [ttest_1samp(each, 0.0, alternative=side).pvalue for each in observed]
        rejected, adjusted = multipletests(p, 0.05, "holm")[:2]
        for place, found in enumerate(findings):
            assert found.effect.difference is not None
            outward = -found.effect.difference if side == "less" else found.effect.difference
            assert (found.verdict == verdict) == (rejected[place] and outward >= 0.05 - 1e-9)
            if outward > 0:
                assert (found.p, found.p_adjusted) == pytest.approx((p[place], adjusted[place]))


def drop(size: float, jobs: int = 12, spread: float = 0.02) -> list[float]:
    """Differences with exactly this mean, alternating around it."""
    return [-size + (spread if place % 2 else -spread) for place in range(jobs)]


def one(differences: Sequence[float], delta: float = 0.05) -> Finding:
    [found] = decide([Test("wisdom", "pooled", pairs_of(differences), delta)], True)
    return found


@pytest.mark.parametrize(
    ("size", "verdict"), [(0.10, "regressed"), (0.05, "regressed"), (-0.05, "improved"), (0.0, "unchanged")]
)
def test_the_verdict_on_one_measure(size: float, verdict: str) -> None:
    assert one(drop(size)).verdict == verdict


@pytest.mark.parametrize("base", [0.3, 0.6, 0.7])
def test_a_fall_by_delta_counts_however_binary_numbers_round_it(base: float) -> None:
    [found] = decide([Test("wisdom", "pooled", pairs_of(drop(0.05, spread=0.04), base), 0.05)], True)
    assert found.verdict == "regressed"


def test_a_significant_difference_of_no_consequence_is_unchanged() -> None:
    found = one(drop(0.03))
    assert found.p_adjusted is not None
    assert found.p_adjusted < 0.001
    assert found.verdict == "unchanged"


def test_an_open_result_says_what_is_possible_and_what_could_be_found() -> None:
    found = one(drop(0.04, spread=0.1))
    assert found.effect.tested is not None
    assert found.verdict == "inconclusive"
    # The standard error is .1·√(12/11)/√12 = .0302, the 90 % interval -.04 ± t(.95, 11)·.0302 = -.04 ± .054.
    interval = "the 90 % interval, −0.09 to +0.01, is not within ±δ (0.05)"
    assert found.why == f"{interval}; these 12 jobs detect only differences of 0.10 or more with 90 % power"
    hopeless = one([1.0, -1.0] * 3)
    assert (hopeless.why or "").endswith("these 6 jobs are too few to detect any difference with 90 % power")


@pytest.mark.parametrize(
    ("size", "interval"),
    [
        (-0.021, "−0.01 to +0.051"), (0.021, "−0.051 to +0.01"), (-0.03, "−0.0003 to +0.06"),
        (0.03, "−0.06 to +0.0003"),
    ],
)  # fmt: skip
def test_an_interval_is_seen_not_to_be_within_delta(size: float, interval: str) -> None:
    assert f"the 90 % interval, {interval}, is not within ±δ (0.05)" in str(one(drop(size, spread=0.056)).why)


@pytest.mark.parametrize(
    ("size", "said"), [(0.0989, "−0.099"), (-0.0989, "+0.099"), (0.09998, "−0.09998"), (0.0949, "−0.09")]
)
def test_a_sure_change_that_is_too_small_is_seen_to_be(size: float, said: str) -> None:
    found = one(drop(size, spread=0.05), delta=0.1)
    assert (found.verdict, found.p_adjusted and found.p_adjusted < 0.05) == ("inconclusive", True)
    assert found.why is not None
    assert found.why.startswith(f"significant, but {said} is smaller than δ 0.10; the 90 % interval, ")


def test_a_delta_is_told_as_it_is() -> None:
    why = one(drop(0.0658, spread=0.05), delta=0.066).why
    assert (why or "").startswith("significant, but −0.0658 is smaller than δ 0.066; ")


def test_a_drop_that_only_the_correction_leaves_open_is_told_as_that() -> None:
    rest = [Test(m, "pooled", pairs_of(drop(0.0, spread=0.1)), 0.05) for m in GATING[1:]]
    found, *others = decide([Test("assertion", "pooled", pairs_of(drop(0.18, spread=0.22)), 0.1), *rest], True)
    # t is −.18 / (.22·√(12/11)/√12) = −2.714 with 11 degrees of freedom: p .01006, times nine .0906.
    said = "significant by itself (p 0.010), but not after the correction for 9 measures (p 0.091); "
    assert (found.why or "").startswith(f"{said}the 90 % interval, −0.30 to −0.06, is not within ±δ (0.10); ")
    assert all("by itself" not in (other.why or "") for other in others)


@pytest.mark.parametrize(
    ("differences", "why"),
    [
        ([], "measured by no job"), ([-0.5, -0.4, -0.3, -0.4], "measured by only 4 jobs"),
        ([0.0] * 40, "every job scored the same"),
    ],
)
def test_what_cannot_be_tested_is_open_and_says_why(differences: list[float], why: str) -> None:
    found = one(differences)
    assert found.verdict == "inconclusive"
    assert found.why is not None
    assert why in found.why
    assert (found.p, found.p_adjusted) == (None, None)


ALIKE = "jobs differ by the same amount, so there is no spread and no interval"
ALONE = "significant by itself (p 0.008), but not after the correction for 9 measures (p 0.070)"


@pytest.mark.parametrize(
    ("differences", "verdict", "why"),
    [
        ([-1.0] * 8, "regressed", None), ([1.0] * 8, "improved", None),
        ([-1.0] * 7, "inconclusive", f"{ALONE}; all 7 {ALIKE}"),
        ([-0.04] * 12, "inconclusive", f"significant, but −0.04 is smaller than δ 0.05; all 12 {ALIKE}"),
    ],
)  # fmt: skip
def test_a_version_that_fails_in_each_of_eight_jobs_regressed(
    differences: list[float], verdict: str, why: str | None
) -> None:
    measures = [Test(m, "pooled", pairs_of(drop(0.0, spread=0.1)[: len(differences)]), 0.05) for m in GATING[1:]]
    found, *_ = decide([Test("overall", "pooled", pairs_of(differences), 0.05), *measures], True)
    assert (found.verdict, found.why) == (verdict, why)
    assert found.row()["low"] is None


def test_what_must_not_be_decided_keeps_its_difference_and_leaves_the_family() -> None:
    tests = [Test("wisdom", "pooled", pairs_of(drop(0.2)), 0.05, "another judge")]
    tests.append(Test("timing", "pooled", pairs_of(drop(0.01, spread=0.03)), 0.05))
    barred, timing = decide(tests, True)
    assert (barred.verdict, barred.why, barred.p_adjusted) == ("inconclusive", "another judge", None)
    assert barred.effect.difference == pytest.approx(-0.2)
    assert timing.p_adjusted == timing.p


def test_the_size_of_the_family_does_not_depend_on_what_was_found() -> None:
    test = Test("timing", "pooled", pairs_of(drop(0.01, spread=0.1)), 0.05)
    equal = Test("task", "pooled", pairs_of([0.0] * 12), 0.1)
    few = Test("assertion", "pooled", pairs_of([0.1, 0.2]), 0.1)
    with_equal, _ = decide([test, equal], True)
    with_few, _ = decide([test, few], True)
    assert with_equal.p is not None
    assert with_equal.p_adjusted == pytest.approx(2 * with_equal.p)
    assert with_few.p_adjusted == with_few.p
    assert with_equal.effect.tested is not None
    assert with_few.effect.tested is not None
    assert with_equal.effect.tested.detectable > with_few.effect.tested.detectable


def test_holm_spares_a_clear_drop_among_many_measures() -> None:
    quiet = [Test(m, "pooled", pairs_of(drop(0.0, spread=0.1)), 0.05) for m in GATING[1:]]
    findings = decide([Test("wisdom", "pooled", pairs_of(drop(0.2)), 0.05), *quiet], True)
    assert [found.verdict for found in findings].count("regressed") == 1
    assert findings[0].verdict == "regressed"
    assert findings[0].p_adjusted == pytest.approx(9 * (findings[0].p or 0))


def test_an_empty_family() -> None:
    assert decide([], False) == []


def test_a_family_of_which_nothing_may_be_decided_shows_its_differences() -> None:
    [barred] = decide([Test("wisdom", "pooled", pairs_of(drop(0.2)), 0.05, "another judge")], True)
    assert (barred.verdict, barred.effect.difference) == ("inconclusive", pytest.approx(-0.2))


def test_means_are_over_the_paired_jobs() -> None:
    base = {("a", "withheld"): 0.2, ("b", "withheld"): 0.4, ("only base", "withheld"): 1.0}
    candidate = {("a", "withheld"): 0.6, ("b", "withheld"): 0.8}
    [found] = decide([Test("wisdom", "pooled", paired(base, candidate, "pooled"), 0.05)], False)
    assert (found.base, found.candidate, found.effect.jobs) == (pytest.approx(0.3), pytest.approx(0.7), 2)
    assert not found.gating
