"""Which evaluation of the base a version is held against, and what the gate says where there is no comparison."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dagster as dg
import pytest

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.evaluation import release_comparison
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation import EVALUATION_TAG, Manifest
from stoic_assets.core.night_record import HeldVersion, Round, RoundName, night_evaluation_id
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE
from stoic_assets.defs.comparison import version_comparisons
from stoic_assets.defs.partitions import agent_versions

BASE, CANDIDATE = "marcus@1.0.0", "marcus@1.1.0"
NIGHT, LATER = "2026-11-20", "2026-11-21"
JOBS = [f"job {number}" for number in range(6)]
Evaluate = Callable[..., str]


@pytest.fixture
def workplace(workplace: Workplace) -> Workplace:
    """A project with two releases."""
    workplace.project.releases.mkdir()
    for version in ("1.0.0", "1.1.0"):
        manifest = f"agent: marcus\nversion: {version}\n"
        (workplace.project.releases / f"{version}.yml").write_text(manifest)
    return workplace


@pytest.fixture
def evaluate(workplace: Workplace, make_manifest: Callable[..., Manifest]) -> Evaluate:
    """A judged evaluation of one trial for each job; its fields as keyword arguments."""

    def make(version: str, identity: str, hour: int = 0, jobs: Sequence[str] = JOBS, **head: Any) -> str:
        started = f"2026-11-21T{hour:02}:00:00+00:00"
        workplace.evidence.begin(make_manifest(evaluation_id=identity, agent_version=version, started_at=started))
        trials = [{"trial_id": f"{identity} {job}", "job": job, "condition": "withheld", "repeat": 1} for job in jobs]
        held = {"outcome": "signed_off", "failure_count": 0, "holdout": False, "planned_tasks": 0, "turns": 1}
        verdict = {"virtue": "wisdom", "judge_model": "judge", "sample": 0, "score": 0.5}
        measure = {"condition": "withheld", "measure": "wisdom", "mean": 0.5, "trials": 1, "invalid_trials": 0}
        score = {
            "outcome": "signed_off", "valid": True, "failure_penalty": 0.0, "virtues_scored": 1,
            "virtues_not_exercised": 0, "failure_count": 0,
        }  # fmt: skip
        evaluation = {
            "agent": "marcus", "started_at": started, "status": "finished", "offline": False, "planned_trials": 6,
            "scored_trials": 6, "invalid_trials": 0, "evaluator_model": "m",
        }  # fmt: skip
        tables: dict[str, list[dict[str, Any]]] = {
            "evaluations": [evaluation | head],
            "trials": [trial | held for trial in trials],
            "virtue_scores": [{"trial_id": trial["trial_id"], **verdict} for trial in trials],
            "composite_scores": [trial | score for trial in trials],
            "job_measures": [{"job": job, **measure} for job in jobs],
        }
        for table, rows in tables.items():
            workplace.warehouse.write(table, version, identity, rows)
        return identity

    return make


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture
def compared(instance: dg.DagsterInstance, workplace: Workplace) -> Callable[..., dg.AssetCheckEvaluation]:
    """Materialises the comparison of an evaluation, and gives what its check says."""

    def check(version: str, identity: str) -> dg.AssetCheckEvaluation:
        instance.add_dynamic_partitions(str(agent_versions.name), [version])
        result = dg.materialize(
            [version_comparisons], resources={"workplace": workplace}, instance=instance, partition_key=version,
            tags={EVALUATION_TAG: identity},
        )  # fmt: skip
        assert result.success
        [found] = result.get_asset_check_evaluations()
        return found

    return check


def hold(workplace: Workplace, evaluate: Evaluate, night: str, name: RoundName = "first", **base: Any) -> str:
    """Both versions evaluated in one round; gives the candidate's evaluation."""
    hour = int(night[-2:]) - 20 + (6 if name == "again" else 0)
    ids = {version: night_evaluation_id(night, version, name) for version in (BASE, CANDIDATE)}
    evaluate(BASE, ids[BASE], hour, **base)
    evaluate(CANDIDATE, ids[CANDIDATE], hour)
    held = {version: HeldVersion(evaluation_id=each) for version, each in ids.items()}
    record = Round(run_id="r", held_at="2026-11-22T00:00:00+00:00", evaluations=held)
    workplace.nights.record_round(night, name, record)
    return ids[CANDIDATE]


def base_used(workplace: Workplace, candidate_id: str) -> str:
    rows = workplace.warehouse.read("version_comparisons", CANDIDATE, candidate_id)
    [base] = {row["base_evaluation_id"] for row in rows}
    return base


def test_a_night_is_compared_within_itself_whatever_was_evaluated_since(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    rounds: list[tuple[str, RoundName]] = [(NIGHT, "first"), (NIGHT, "again"), (LATER, "first")]
    candidates = [hold(workplace, evaluate, night, name) for night, name in rounds]
    evaluate(BASE, "by-hand", 20)
    for (night, name), candidate in zip(rounds, candidates, strict=True):
        assert compared(CANDIDATE, candidate).passed
        assert base_used(workplace, candidate) == night_evaluation_id(night, BASE, name)


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


def test_beside_a_night_the_newest_base_is_taken(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    hold(workplace, evaluate, NIGHT)
    evaluate(BASE, "by-hand", 20)
    compared(CANDIDATE, evaluate(CANDIDATE, "release-1", 21))
    assert base_used(workplace, "release-1") == "by-hand"


def test_the_base_of_a_night_is_taken_though_another_has_more_in_common(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    evaluate(BASE, "release-0", 0)
    candidate = hold(workplace, evaluate, LATER, jobs=JOBS[:5])
    compared(CANDIDATE, candidate)
    assert base_used(workplace, candidate) == night_evaluation_id(LATER, BASE, "first")


def test_a_try_by_hand_is_no_base_where_more_was_evaluated(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    evaluate(BASE, "release-0", 18)
    evaluate(BASE, "by-hand", 19, jobs=JOBS[:1])
    evaluate(BASE, "offline", 20, offline=True)
    compared(CANDIDATE, evaluate(CANDIDATE, "release-1", 21))
    assert base_used(workplace, "release-1") == "release-0"
    notes = workplace.warehouse.read("version_comparisons", CANDIDATE, "release-1")[0]["notes"]
    assert notes[0] == f"{BASE} is compared by its evaluation release-0; offline is newer, but was judged offline"


def test_a_base_that_did_not_finish_the_night_leaves_its_place_to_the_newest(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    candidate = hold(workplace, evaluate, NIGHT, status="incomplete")
    evaluate(BASE, "by-hand", 20)
    compared(CANDIDATE, candidate)
    assert base_used(workplace, candidate) == "by-hand"


def test_a_base_that_is_judged_again_leaves_its_place_to_no_older_one(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    evaluate(BASE, "older", 19)
    evaluate(BASE, "newest", 20, status="regrading")
    check = compared(CANDIDATE, evaluate(CANDIDATE, "release-1", 21))
    assert "(evaluation newest) is not finished (regrading); continue with `stoic regrade" in (check.description or "")


def test_for_an_invalid_base_of_the_night_an_older_one_stands_in(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    hold(workplace, evaluate, NIGHT)
    candidate = hold(workplace, evaluate, LATER, scored_trials=1, invalid_trials=5)
    evaluate(BASE, "by-hand", 20)
    compared(CANDIDATE, candidate)
    assert base_used(workplace, candidate) == night_evaluation_id(NIGHT, BASE, "first")


def test_a_night_whose_file_is_damaged_is_compared_with_no_other(
    workplace: Workplace, evaluate: Evaluate, compared: Callable[..., dg.AssetCheckEvaluation]
) -> None:
    candidate = hold(workplace, evaluate, NIGHT)
    (workplace.project.home / "nights" / f"{NIGHT}.json").write_text("{")
    check = compared(CANDIDATE, candidate)
    assert (check.passed, check.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert f"{NIGHT}.json is damaged" in (check.description or "")


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
