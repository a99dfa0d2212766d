"""Two releases, their evaluations, and the comparison of them as an asset."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import dagster as dg
import pytest
from compared_versions import JOBS, Evaluate
from evaluation_heads import evaluation_head

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.defs.comparison import version_comparisons
from stoic_assets.defs.partitions import agent_versions


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
        counts = {"planned_trials": 6, "scored_trials": 6, "invalid_trials": 0}
        evaluation = evaluation_head(started_at=started, evaluator_model="m", **counts)
        tables: dict[str, list[dict[str, Any]]] = {
            "evaluations": [evaluation | head],
            "trials": [trial | held for trial in trials],
            "virtue_scores": [{"trial_id": trial["trial_id"], **verdict} for trial in trials],
            "composite_scores": [trial | score for trial in trials],
            "job_measures": [{"job": job, **measure} for job in jobs],
            "task_scores": [],
            "assertion_results": [],
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
