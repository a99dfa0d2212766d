"""Every asset depends on the scores that it reads, or on the evaluation that is finished by them.

Dagster orders the selected assets of a run by that alone.
"""

import json
from collections.abc import Callable, Set
from typing import TYPE_CHECKING, Any

import dagster as dg
import pytest
from evaluation_heads import evaluation_head

from stoic_assets.adapters.warehouse.sql_project import SqlProject
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.defs.comparison import version_comparisons
from stoic_assets.defs.evolution import fitness_updates, stoic_graph_projection
from stoic_assets.defs.reports import evaluation_reports, weak_virtue_reports
from stoic_assets.defs.scores import sql_assets, sql_models

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

BASE, VERSION, EVALUATION = "marcus@1.0.0", "marcus@1.1.0", "E1"
READERS = {asset.key.to_user_string(): asset for asset in (
    weak_virtue_reports, version_comparisons, fitness_updates, evaluation_reports, stoic_graph_projection,
)}  # fmt: skip
SCORES = {*SqlProject().order, "evaluations", "version_comparisons", "fitness_updates"}
"""What may be made anew alone; new evidence alone changes no score."""
JOB = {
    "name": "mentor", "target": {"user": "u-{trial}", "chatbot": "marcus"},
    "tasks": [{"task": "Ask for advice", "acceptanceCriteria": "Advice is given"}],
}  # fmt: skip
TABLES: dict[str, list[dict[str, Any]]] = {
    "trials": [
        {
            "trial_id": "t1", "job": "mentor", "holdout": False, "condition": "withheld", "repeat": 1,
            "outcome": "signed_off", "failure_count": 0, "planned_tasks": 0, "turns": 2,
        }
    ],
    "virtue_scores": [
        {
            "trial_id": "t1", "virtue": "wisdom", "judge_model": "judge", "sample": 0, "score": 0.6, "confidence": 1.0,
            "confidence_source": "self", "exercised": True, "reasoning": "",
        }
    ],
    "turns": [], "observations": [], "task_scores": [], "tone_scores": [], "assertion_results": [], "llm_calls": [],
}  # fmt: skip


@pytest.fixture
def materialise(
    workplace: Workplace, instance: dg.DagsterInstance, make_manifest: Callable[..., Manifest]
) -> Callable[..., dg.ExecuteInProcessResult]:
    """Runs assets of the second of two judged versions."""
    for version, day in ((BASE, "20"), (VERSION, "21")):
        started = f"2026-11-{day}T00:00:00+00:00"
        workplace.evidence.begin(make_manifest(agent_version=version, started_at=started, jobs=(JOB,)))
        for table, rows in {"evaluations": [evaluation_head(started_at=started)], **TABLES}.items():
            workplace.warehouse.write(table, version, EVALUATION, rows)

    def run(
        *assets: dg.AssetsDefinition, version: str = VERSION, selection: dg.AssetSelection | None = None
    ) -> dg.ExecuteInProcessResult:
        return dg.materialize(
            [*assets], resources={"workplace": workplace}, instance=instance, partition_key=version,
            tags={EVALUATION_TAG: EVALUATION}, selection=selection,
        )  # fmt: skip

    workplace.project.releases.mkdir()
    for version, parents in ((BASE, []), (VERSION, ["1.0.0"])):
        number, file = version.partition("@")[2], workplace.project.releases / f"{version}.yml"
        file.write_text(json.dumps({"agent": "marcus", "version": number, "parents": parents}))
        scored = (*sql_assets, version_comparisons, fitness_updates)
        checks = dg.AssetSelection.checks_for_assets(sql_models)
        run(*scored, version=version, selection=dg.AssetSelection.assets(*scored) - checks)
    return run


@pytest.fixture
def tables_read(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The tables that were read since."""
    read: set[str] = set()
    scan_one, create_views = Warehouse.scan_one, Warehouse.create_views

    def one(self: Warehouse, table: str, *key: str) -> str:
        read.add(table)
        return scan_one(self, table, *key)

    def views(self: Warehouse, engine: "DuckDBPyConnection", names: Set[str], by_name: bool = True) -> None:
        read.update(names)
        create_views(self, engine, names, by_name)

    monkeypatch.setattr(Warehouse, "scan_one", one)
    monkeypatch.setattr(Warehouse, "create_views", views)
    return read


def test_an_asset_depends_on_all_scores_that_it_reads(
    materialise: Callable[..., dg.ExecuteInProcessResult], tables_read: set[str]
) -> None:
    """One test, since two evaluated versions take seconds."""
    for reader, asset in READERS.items():
        tables_read.clear()
        materialise(asset)
        read, named = tables_read & SCORES, dependencies(reader)
        finished = dependencies("evaluations") if "evaluations" in named else set()
        assert (reader, read - {reader} - named - finished) == (reader, set())
        assert read


def test_an_evaluation_is_finished_by_all_its_models() -> None:
    assert {spec.key.to_user_string() for spec in sql_models.specs} - {"evaluations"} <= dependencies("evaluations")


def dependencies(name: str) -> set[str]:
    """What an asset directly depends on."""
    key, assets = dg.AssetKey(name), (*sql_assets, *READERS.values())
    [spec] = [spec for asset in assets for spec in asset.specs if spec.key == key]
    return {dep.asset_key.to_user_string() for dep in spec.deps}
