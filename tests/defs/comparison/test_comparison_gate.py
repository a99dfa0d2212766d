"""What the gate says where there is no comparison or a meaningless one, and for whom a comparison waits."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import dagster as dg
import pytest
from compared_versions import BASE, CANDIDATE, Evaluate, base_used

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.evaluation import release_comparison
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation import Manifest
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


def test_a_version_that_is_done_before_its_base_waits_for_it(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation],
    make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another process evaluates the base: it converses, then there is a row without a verdict, then it is done."""
    monkeypatch.setattr(release_comparison, "LOOK_AGAIN_SECONDS", 0.05)
    notes: list[str] = []
    monkeypatch.setattr(workplace.progress, "note", notes.append, raising=False)
    evaluate(CANDIDATE, "c1")
    workplace.evidence.begin(make_manifest(evaluation_id="b1", agent_version=BASE))
    with locked(workplace.evidence.folder(BASE, "b1") / "lock"), ThreadPoolExecutor() as pool:
        waiting = pool.submit(compared, CANDIDATE, "c1")
        for finish in (lambda: None, lambda: evaluate(BASE, "b1", status="conversed")):
            finish()
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.5)
        evaluate(BASE, "b1")
        check = waiting.result(timeout=20)
    assert check.passed
    assert base_used(workplace, "c1") == "b1"
    assert notes == [f"{BASE} is being evaluated by another process; the comparison with it waits for that"]


def test_a_base_whose_process_ended_without_a_verdict_is_not_waited_for(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation],
    make_manifest: Callable[..., Manifest],
) -> None:
    workplace.evidence.begin(make_manifest(evaluation_id="b1", agent_version=BASE))
    check = compared(CANDIDATE, evaluate(CANDIDATE, "c1"))
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert "has an unfinished evaluation" in (check.description or "")


def test_a_base_that_is_evaluated_again_is_not_waited_for(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation],
    make_manifest: Callable[..., Manifest],
) -> None:
    evaluate(BASE, "b1")
    newer = make_manifest(evaluation_id="b2", agent_version=BASE, started_at="2026-11-22T00:00:00+00:00")
    workplace.evidence.begin(newer)
    with locked(workplace.evidence.folder(BASE, "b2") / "lock"):
        assert compared(CANDIDATE, evaluate(CANDIDATE, "c1")).passed
    assert base_used(workplace, "c1") == "b1"
