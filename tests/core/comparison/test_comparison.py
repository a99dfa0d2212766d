"""Whole comparisons: rows of two evaluations in, findings, verdict and table rows out."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from stoic_assets.adapters.warehouse.table_schemas import FACTS
from stoic_assets.core.comparison.comparison import Comparison, compare
from stoic_assets.core.comparison.measures import GATING, JUDGED, MEASURES
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.configuration.settings import MinimalDifferences

Row = dict[str, Any]
Versions = Callable[..., tuple[Side, Side]]
MINIMAL = MinimalDifferences()
MIRROR = {"regressed": "improved", "improved": "regressed", "unchanged": "unchanged", "inconclusive": "inconclusive"}
JOBS = {f"job{place:02}": "1" for place in range(12)}


@pytest.fixture
def versions(make_side: Callable[..., Side], make_rows: Callable[..., list[Row]]) -> Versions:
    """Two versions on twelve jobs, the candidate shifted by what is given for a measure."""

    def make(
        shifts: Mapping[str, float] | None = None, spread: float = 0.02, conditions: tuple[str, ...] = ("withheld",)
    ) -> tuple[Side, Side]:
        random = Random(1)
        before: list[Row] = []
        after: list[Row] = []
        for measure in MEASURES:
            for condition in conditions:
                base = {job: random.uniform(0.4, 0.6) for job in JOBS}
                shifted = {
                    job: mean + (shifts or {}).get(measure, 0.0) + (spread if place % 2 else -spread)
                    for place, (job, mean) in enumerate(base.items())
                }
                before += make_rows(base, measure, condition)
                after += make_rows(shifted, measure, condition)
        return (
            make_side(jobs=JOBS, measures=before),
            make_side(jobs=JOBS, measures=after, agent_version="marcus@1.1.0", evaluation_id="e2"),
        )

    return make


def verdicts(comparison: Comparison) -> dict[str, str]:
    return {row["measure"]: row["verdict"] for row in comparison.gating}


def test_a_drop_is_found_where_it_is(versions: Versions) -> None:
    comparison = compare(*versions({"assertion": -0.3, "justice": -0.15, "timing": 0.2}), MINIMAL, 0.1)
    found = verdicts(comparison)
    assert list(found) == list(GATING)
    assert {measure for measure, verdict in found.items() if verdict == "regressed"} == {"assertion", "justice"}
    assert found["timing"] == "improved"
    assert found["wisdom"] == "unchanged"
    assert comparison.verdict == "regressed"
    assert [row["measure"] for row in comparison.with_verdict("regressed")] == ["assertion", "justice"]


def test_swapping_the_versions_mirrors_the_verdicts(versions: Versions) -> None:
    base, candidate = versions({"assertion": -0.3, "justice": -0.15, "timing": 0.2, "task": 0.05}, spread=0.06)
    there, back = compare(base, candidate, MINIMAL, 0.1), compare(candidate, base, MINIMAL, 0.1)
    assert verdicts(back) == {measure: MIRROR[verdict] for measure, verdict in verdicts(there).items()}
    for one, other in zip(there.findings, back.findings, strict=True):
        assert (one.measure, one.scope, one.effect.jobs) == (other.measure, other.scope, other.effect.jobs)
        assert one.effect.difference == -(other.effect.difference or 0)


def test_the_order_of_rows_does_not_matter(versions: Versions) -> None:
    base, candidate = versions({"justice": -0.15}, conditions=("withheld", "supplied"))
    older, newer = (
        replace(side, measures=Random(2).sample(side.measures, len(side.measures))) for side in (base, candidate)
    )
    assert compare(older, newer, MINIMAL, 0.1).findings == compare(base, candidate, MINIMAL, 0.1).findings


@pytest.mark.parametrize(
    ("shifts", "spread", "verdict"),
    [
        ({}, 0.02, "unchanged"),
        ({"justice": 0.15}, 0.02, "improved"),
        ({"justice": 0.15, "wisdom": -0.15}, 0.02, "regressed"),
        ({}, 0.2, "inconclusive"),
        ({"passed": -0.5}, 0.02, "unchanged"),
    ],
)
def test_the_verdict_on_a_version(versions: Versions, shifts: dict[str, float], spread: float, verdict: str) -> None:
    assert compare(*versions(shifts, spread), MINIMAL, 0.1).verdict == verdict


def test_conditions_and_lift_are_a_second_family_that_never_gates(versions: Versions) -> None:
    base, candidate = versions(conditions=("withheld", "supplied"))
    supplied = [
        {**row, "mean": row["mean"] - 0.08} if (row["measure"], row["condition"]) == ("justice", "supplied") else row
        for row in candidate.measures
    ]
    comparison = compare(base, replace(candidate, measures=supplied), MINIMAL, 0.1)
    second = {(one.measure, one.scope): one for one in comparison.findings if not one.gating}
    assert len(second) == 3 * len(MEASURES) + 1
    assert second["justice", "supplied"].verdict == "regressed"
    assert second["justice", "lift"].effect.difference == pytest.approx(-0.08)
    assert second["justice", "withheld"].verdict == "unchanged"
    assert ("passed", "pooled") in second
    pooled = next(row for row in comparison.gating if row["measure"] == "justice")
    assert pooled["difference"] == pytest.approx(-0.04)
    assert comparison.verdict != "regressed"


def test_only_jobs_of_both_with_the_same_content_count(versions: Versions) -> None:
    base, candidate = versions({"justice": -0.15})
    changed = JOBS | {"job00": "2", "new": "1"}
    comparison = compare(base, replace(candidate, jobs=changed, evaluator_model="n"), MINIMAL, 0.1)
    assert {row["jobs"] for row in comparison.gating} == {11}
    assert comparison.notes == (
        "only marcus@1.1.0 ran new; not compared", "changed between the two evaluations and not compared: job00",
        "the simulated users differ: m, then n",
    )  # fmt: skip


def test_assertions_are_paired_in_the_same_jobs_and_conditions_and_change_no_verdict(versions: Versions) -> None:
    places = [("job00", "withheld"), ("job00", "supplied"), ("job01", "withheld"), ("old", "withheld")]
    trials = [
        {"trial_id": f"{job}.{condition}", "job": job, "condition": condition, "valid": True, "outcome": "signed_off"}
        for job, condition in places
    ]
    held = {"assertion": "1", "text": "x", "weight": 1.0, "passed": True}
    results = [held | {"trial_id": trial["trial_id"]} for trial in trials]
    base, candidate = versions({"justice": -0.15})
    older = replace(base, jobs=JOBS | {"old": "1"}, trials=trials, assertions=results)
    newer = replace(
        candidate, jobs=JOBS | {"job01": "2"}, trials=[row for row in trials if row["condition"] == "withheld"],
        assertions=[row | {"passed": False} for row in results],
    )  # fmt: skip
    found = compare(older, newer, MINIMAL, 0.1)
    assert [(pair.job, pair.condition, pair.change) for pair in found.broken] == [("job00", "withheld", -1.0)]
    assert found.fixed == ()
    assert found.too_few_repeats is not None
    unasked = compare(replace(older, assertions=()), replace(newer, assertions=()), MINIMAL, 0.1)
    assert (found.findings, found.notes, found.verdict) == (unasked.findings, unasked.notes, unasked.verdict)


def test_only_what_was_checked_more_than_once_is_surely_broken(versions: Versions) -> None:
    trials = [
        {"trial_id": name, "job": f"job{name[:2]}", "condition": "withheld", "valid": True, "outcome": "signed_off"}
        for name in ("00 first", "00 second", "01 first")
    ]
    held = [{"trial_id": row["trial_id"], "assertion": "1", "text": "x", "weight": 1.0} for row in trials]
    base, candidate = (
        replace(side, trials=trials, assertions=[row | {"passed": passed} for row in held])
        for side, passed in zip(versions(), (True, False), strict=True)
    )
    found = compare(base, candidate, MINIMAL, 0.1)
    assert [pair.job for pair in found.broken] == ["job00", "job01"]
    assert [pair.job for pair in found.surely_broken] == ["job00"]
    assert found.too_few_repeats is None


@pytest.mark.parametrize(("count", "can"), [(4, False), (5, True)])
def test_where_nothing_could_come_out_regressed_that_is_said(versions: Versions, count: int, can: bool) -> None:
    few = dict.fromkeys(list(JOBS)[:count], "1")
    base, candidate = (replace(side, jobs=few) for side in versions({"assertion": -0.9}))
    comparison = compare(base, candidate, MINIMAL, 0.1)
    assert comparison.verdict == ("regressed" if can else "inconclusive")
    why = "with fewer than 5 jobs measured in both versions (here: 4)"
    said = f"{why} no measure can be called regressed, however far it dropped"
    assert comparison.too_few_jobs == (None if can else said)
    assert (said in comparison.notes) == (not can)


def test_where_only_the_judged_could_come_out_regressed_and_the_judge_moved_that_is_said(versions: Versions) -> None:
    base, candidate = (
        replace(side, measures=[row for row in side.measures if row["measure"] in JUDGED]) for side in versions()
    )
    found = compare(base, candidate, MINIMAL, 0.1, judge_moved="the judge moved")
    assert (found.cannot_regress, found.too_few_jobs) == ("the judge moved", None)
    assert compare(base, candidate, MINIMAL, 0.1).cannot_regress is None


def test_another_judge_leaves_only_what_it_did_not_judge(versions: Versions) -> None:
    base, candidate = versions({"assertion": -0.3, "justice": -0.3})
    comparison = compare(base, candidate, MINIMAL, 0.1, judge_moved="the judge moved")
    assert comparison.verdict == "regressed"
    found = verdicts(comparison)
    assert {measure for measure in GATING if found[measure] == "inconclusive"} == JUDGED & set(GATING)
    assert {one.why for one in comparison.findings if one.measure in JUDGED} == {"the judge moved"}
    assert "the judge moved" in comparison.notes


def test_rows_have_the_columns_of_their_table(versions: Versions) -> None:
    comparison = compare(*versions({"justice": -0.15}), MINIMAL, 0.1)
    rows = comparison.rows()
    assert len(rows) == len(comparison.findings)
    assert all(row.keys() == FACTS["version_comparisons"].keys() - {"evaluated_at"} for row in rows)
    assert [row["measure"] for row in rows if row["gating"]] == list(GATING)
    [justice] = [row for row in rows if row["measure"] == "justice" and row["gating"]]
    assert (justice["base"], justice["candidate"], justice["condition"]) == ("marcus@1.0.0", "marcus@1.1.0", "pooled")
    assert justice["low"] < justice["low_90"] < justice["difference"] < justice["high_90"] < justice["high"]
    assert justice["candidate_mean"] - justice["base_mean"] == pytest.approx(justice["difference"])
