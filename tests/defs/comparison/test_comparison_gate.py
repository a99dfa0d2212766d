"""What the gate says where there is no comparison or a meaningless one."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
import pytest
from compared_versions import BASE, CANDIDATE, JOBS, Evaluate

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.nights.night_record import HeldVersion, Round, night_evaluation_id
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE


def figures(instance: dg.DagsterInstance) -> dict[str, Any]:
    """The metadata of the comparison that was made last."""
    stored = instance.get_latest_materialization_event(dg.AssetKey("version_comparisons"))
    assert stored is not None
    assert stored.asset_materialization is not None
    return {name: value.value for name, value in stored.asset_materialization.metadata.items()}


def measured(workplace: Workplace, evaluate: Evaluate, change: float, **head: Any) -> None:
    """Evaluations `e1` of base and candidate, whose wisdom differs by `change` where facts are withheld."""
    for version, moved in ((BASE, 0.0), (CANDIDATE, change)):
        evaluate(version, "e1", **head)
        means = [
            {
                "job": job, "condition": condition, "measure": "wisdom", "trials": 1, "invalid_trials": 0,
                "mean": 0.5 + place / 100 + (moved if condition == "withheld" else 0.0),
            }
            for place, job in enumerate(JOBS) for condition in ("withheld", "supplied")
        ]  # fmt: skip
        workplace.warehouse.write("job_measures", version, "e1", means)


@pytest.mark.parametrize("offline", [True, False])
def test_the_gate_says_that_offline_scores_mean_nothing(
    instance: dg.DagsterInstance, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation], offline: bool
) -> None:
    for version in (BASE, CANDIDATE):
        evaluate(version, "e1", offline=offline)
    assert (OFFLINE_NOTE in (compared(CANDIDATE, "e1").description or "")) is offline
    assert figures(instance)["offline"] is offline


def test_a_comparison_that_is_refused_is_a_warning(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    evaluate(BASE, "before")
    check = compared(CANDIDATE, evaluate(CANDIDATE, "after", 1, scored_trials=1, invalid_trials=5))
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert "5 of 6 trials are invalid" in (check.description or "")
    assert workplace.warehouse.read("version_comparisons", CANDIDATE, "after") == []


def test_a_base_that_was_never_evaluated_is_a_warning(
    evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    check = compared(CANDIDATE, evaluate(CANDIDATE, "after"))
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert f"{BASE}: it was never evaluated" in (check.description or "")


@pytest.mark.parametrize(
    ("version", "why"),
    [
        (BASE, "it is the first release of marcus; there is nothing to compare it with"),
        ("marcus@dev", "releases/ has no readable manifest of marcus@dev, so its base is unknown"),
    ],
)
def test_with_nothing_to_compare_with_the_gate_is_open_and_says_why(
    instance: dg.DagsterInstance, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation], version: str,
    why: str,
) -> None:  # fmt: skip
    check = compared(version, evaluate(version, "e1"))
    assert check.passed
    assert check.description is not None
    assert check.description.startswith(f"not compared: {why}")
    assert figures(instance)["not_compared"] == check.description.removeprefix("not compared: ")


def test_what_a_night_held_without_a_base_has_none_though_there_is_one_now(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    wanted = night_evaluation_id("2026-11-21", CANDIDATE, "first")
    held = {CANDIDATE: HeldVersion(evaluation_id=wanted, base=None)}
    workplace.nights.record_round("2026-11-21", "first", Round(run_id="r", held_at="", evaluations=held))
    check = compared(CANDIDATE, evaluate(CANDIDATE, wanted))
    assert check.description == "not compared: when its night was held, it was the first release of marcus"


def test_an_assertion_that_holds_less_often_is_a_warning(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    for version, passed in ((BASE, True), (CANDIDATE, False)):
        evaluate(version, "e1")
        decided = {"assertion": "it is stored", "kind": "cypher", "text": "RETURN 1", "weight": 1.0, "passed": passed}
        rows = [{"trial_id": f"e1 {job}", **decided} for job in JOBS]
        workplace.warehouse.write("assertion_results", version, "e1", rows)
    check = compared(CANDIDATE, "e1")
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert (check.metadata["verdict"].value, check.metadata["regressed"].value) == ("inconclusive", "")
    assert check.metadata["weaker_assertions"].value == "it is stored"
    rows = workplace.warehouse.read("version_comparisons", CANDIDATE, "e1")
    assert {*map(tuple, (row["weaker_assertions"] for row in rows))} == {("it is stored",)}


@pytest.mark.parametrize(("change", "verdict"), [(-0.3, "regressed"), (0.3, "improved")])
def test_the_gate_is_closed_by_a_regression_alone_and_names_its_measures(
    workplace: Workplace, instance: dg.DagsterInstance, evaluate: Evaluate,
    compared: Callable[..., dg.AssetCheckEvaluation], change: float, verdict: str,
) -> None:  # fmt: skip
    measured(workplace, evaluate, change)
    check = compared(CANDIDATE, "e1")
    assert (check.passed, check.metadata["verdict"].value) == (verdict == "improved", verdict)
    assert check.metadata["regressed"].value == ("wisdom" if verdict == "regressed" else "")
    shown = figures(instance)
    assert shown["difference_wisdom"] == pytest.approx(change / 2), "of both conditions together"
    assert (shown["base"], shown["base_evaluation_id"], shown["verdict"]) == (BASE, "e1", verdict)


@pytest.mark.parametrize(
    ("change", "offline", "said"),
    [
        (-0.3, False, f"; {CANDIDATE} (evaluation e1) was compared with {BASE}: regressed (wisdom)"),
        (0.3, False, f"; {CANDIDATE} (evaluation e1) was compared with {BASE}: improved (wisdom)"),
        (0.0, False, f"; {CANDIDATE} (evaluation e1) was compared with {BASE}: inconclusive"),
        (-0.3, True, ""),
    ],
)
def test_where_jobs_were_evaluated_that_the_base_lacks_the_last_verdict_stays(
    workplace: Workplace, instance: dg.DagsterInstance, evaluate: Evaluate,
    compared: Callable[..., dg.AssetCheckEvaluation], change: float, offline: bool, said: str,
) -> None:  # fmt: skip
    measured(workplace, evaluate, change, offline=offline)
    compared(CANDIDATE, "e1")
    check = compared(CANDIDATE, evaluate(CANDIDATE, "e2", 1, jobs=["hard days"]))
    severe = change < 0 and not offline
    assert (check.passed, check.severity.value) == (False, "ERROR" if severe else "WARN")
    assert (check.description or "").endswith(f"name other evaluations with --evaluation{said}" if said else "alike")
    assert figures(instance)["not_compared"] == (check.description or "").removeprefix("not compared: ")


def test_of_several_verdicts_the_last_stays_and_only_while_it_holds(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    measured(workplace, evaluate, -0.3)
    compared(CANDIDATE, "e1")
    compared(CANDIDATE, evaluate(CANDIDATE, "e2", 1))
    evaluate(CANDIDATE, "e3", 2, jobs=["hard days"])
    check = compared(CANDIDATE, "e3")
    assert (check.severity.value, "(evaluation e2) was compared" in (check.description or "")) == ("WARN", True)
    measured(workplace, evaluate, 0.3)
    workplace.warehouse.write("version_comparisons", CANDIDATE, "e2", [])
    check = compared(CANDIDATE, "e3")
    assert (check.severity.value, "was compared" in (check.description or "")) == ("WARN", False)


def test_a_last_verdict_whose_base_was_judged_again_and_has_lost_a_table_does_not_fail_the_run(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    measured(workplace, evaluate, -0.3)
    compared(CANDIDATE, "e1")
    judged = {"evaluated_at": datetime.now(UTC) + timedelta(hours=1)}
    scores = [row | judged for row in workplace.warehouse.read("composite_scores", BASE, "e1")]
    workplace.warehouse.write("composite_scores", BASE, "e1", scores)
    lost = workplace.warehouse.file("virtue_scores", BASE, "e1")
    assert lost
    lost.unlink()
    check = compared(CANDIDATE, evaluate(CANDIDATE, "e2", 1, jobs=["hard days"]))
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert "was compared" not in (check.description or "")
