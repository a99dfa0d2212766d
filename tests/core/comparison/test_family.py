"""Verdicts on measures that are tested together: what must hold for any data."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.comparison.effect import FEWEST_JOBS
from stoic_assets.core.comparison.family import Test, decide, family_size, ruled_out
from stoic_assets.core.comparison.measures import GATING
from stoic_assets.core.comparison.paired_jobs import Pair, Scope

MIRROR = {"regressed": "improved", "improved": "regressed", "unchanged": "unchanged", "inconclusive": "inconclusive"}


@st.composite
def families(draw: st.DrawFn) -> list[Test]:
    """Nine measures, each with a shift and a spread of its own: none, small or large; some with few or equal jobs."""
    random = Random(draw(st.integers(0, 2**32)))
    tests = []
    for measure in GATING:
        jobs, shift = draw(st.sampled_from([0, 3, 5, 12, 30])), draw(st.sampled_from([-0.2, -0.06, 0.0, 0.06, 0.2]))
        spread = draw(st.sampled_from([0.0, 0.02, 0.1]))
        pairs = [
            Pair(f"{place:02}", base := random.uniform(0.3, 0.7), base + shift + random.gauss(0, spread))
            for place in range(jobs)
        ]
        why = draw(st.sampled_from([None, None, None, "another judge"]))
        tests.append(Test(measure, "pooled", pairs, draw(st.sampled_from([0.05, 0.1])), why))
    return tests


@given(families())
def test_the_rows_tell_how_many_were_tested_together(tests: list[Test]) -> None:
    in_family = [test for test in tests if test.why is None and len(test.pairs) >= FEWEST_JOBS]
    assert family_size(found.row() for found in decide(tests, True)) == len(in_family)


def swapped(test: Test) -> Test:
    return replace(test, pairs=[Pair(pair.job, pair.candidate, pair.base) for pair in test.pairs])


@given(families())
def test_swapping_base_and_candidate_mirrors_everything(tests: list[Test]) -> None:
    for there, back in zip(decide(tests, True), decide([swapped(test) for test in tests], True), strict=True):
        assert back.verdict == MIRROR[there.verdict]
        assert (back.base, back.candidate) == (there.candidate, there.base)
        assert back.p == pytest.approx(there.p)
        assert back.p_adjusted == pytest.approx(there.p_adjusted)
        if there.effect.difference is not None:
            assert back.effect.difference == -there.effect.difference
        if back.effect.tested and there.effect.tested and there.effect.tested.high is not None:
            assert back.effect.tested.low == pytest.approx(-there.effect.tested.high)
            assert back.effect.tested.detectable == pytest.approx(there.effect.tested.detectable)


@given(families(), st.integers(0, 2**32))
def test_the_order_of_tests_and_of_jobs_does_not_matter(tests: list[Test], seed: int) -> None:
    random = Random(seed)
    shuffled = [replace(test, pairs=random.sample(test.pairs, len(test.pairs))) for test in tests]
    random.shuffle(shuffled)
    in_order = {found.measure: found for found in decide(tests, True)}
    for found in decide(shuffled, True):
        same = in_order[found.measure]
        assert (found.verdict, found.effect.difference) == (same.verdict, same.effect.difference)
        assert found.p_adjusted == pytest.approx(same.p_adjusted)


@given(families())
def test_what_a_verdict_implies(tests: list[Test]) -> None:
    for found in decide(tests, True):
        tested, difference = found.effect.tested, found.effect.difference
        if found.p is not None and found.p_adjusted is not None:
            assert found.p <= found.p_adjusted <= 1
        if found.verdict in ("regressed", "improved"):
            assert difference is not None
            assert found.p_adjusted is not None
            assert found.p_adjusted <= 0.05
            assert (-difference if found.verdict == "regressed" else difference) >= found.delta - 1e-9
        if found.verdict == "unchanged" and tested is None:
            assert difference == pytest.approx(0.0)
            assert (1 - found.delta) ** found.effect.jobs <= 0.05
        elif found.verdict == "unchanged":
            assert tested is not None
            assert -found.delta < tested.low_90 < tested.high_90 < found.delta
        assert (found.why is not None) == (found.verdict == "inconclusive" or found.p is None)


@given(families())
def test_without_delta_every_significant_difference_counts(tests: list[Test]) -> None:
    """What the simulations of docs/statistics.md compare with."""
    strict, anyhow = decide(tests, True), decide([replace(test, delta=0.0) for test in tests], True)
    for with_delta, without in zip(strict, anyhow, strict=True):
        assert without.p_adjusted == with_delta.p_adjusted
        assert (without.verdict != "inconclusive") == (without.p_adjusted is not None and without.p_adjusted <= 0.05)
        if with_delta.verdict in ("regressed", "improved"):
            assert without.verdict == with_delta.verdict


@given(families())
def test_failed_trials_ruled_out_nothing_where_none_were_looked_at(tests: list[Test]) -> None:
    rows = [found.row() for found in decide(tests, gating=True)]
    assert [ruled_out(row) for row in rows] == [None] * len(rows)


@pytest.mark.parametrize(
    ("scope", "delta", "enough"), [("pooled", 0.05, 59), ("pooled", 0.10, 29), ("pooled", 1.0, 5), ("lift", 0.10, 59)]
)
def test_so_many_jobs_that_score_the_same_are_unchanged(scope: Scope, delta: float, enough: int) -> None:
    """As many as a difference of δ would surely show in one of: no job differs by more than 1, in a lift by 2."""
    few, many = (
        decide([Test("timing", scope, [Pair(str(job), 1.0, 1.0) for job in range(jobs)], delta)], gating=True)[0]
        for jobs in (enough - 1, enough)
    )
    assert (many.verdict, many.why, many.p) == ("unchanged", "every job scored the same in both versions", None)
    assert family_size([many.row()]) == 1
    assert few.verdict == "inconclusive"
    if enough > FEWEST_JOBS:
        assert few.why == f"every job scored the same in both versions; from {enough} such jobs on that is unchanged"
