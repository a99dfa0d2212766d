"""What the gate says where there is no comparison or a meaningless one."""

from collections.abc import Callable

import dagster as dg
import pytest
from compared_versions import BASE, CANDIDATE, Evaluate

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE


@pytest.mark.parametrize("offline", [True, False])
def test_the_gate_says_that_offline_scores_mean_nothing(
    instance: dg.DagsterInstance, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation], offline: bool
) -> None:
    for version in (BASE, CANDIDATE):
        evaluate(version, "e1", offline=offline)
    assert (OFFLINE_NOTE in (compared(CANDIDATE, "e1").description or "")) is offline
    stored = instance.get_latest_materialization_event(dg.AssetKey("version_comparisons"))
    assert stored is not None
    assert stored.asset_materialization is not None
    assert stored.asset_materialization.metadata["offline"].value is offline


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
    evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation], version: str, why: str
) -> None:
    check = compared(version, evaluate(version, "e1"))
    assert check.passed
    assert check.description is not None
    assert check.description.startswith(f"not compared: {why}")
