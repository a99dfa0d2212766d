"""The SQL models as assets: each with the lineage of its columns, and its `schema.yml` tests as asset checks."""

from datetime import UTC, datetime
from typing import Any

import dagster as dg

from stoic_assets.adapters.evaluation_tables import EvaluationTables
from stoic_assets.adapters.models.offline_model import OFFLINE
from stoic_assets.adapters.sql_lineage import lineage
from stoic_assets.adapters.sql_models import failing_rows, run_model, tested_view
from stoic_assets.adapters.sql_project import ModelTest, SqlProject
from stoic_assets.adapters.warehouse import Warehouse
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation import Manifest
from stoic_assets.core.releases import agent_of
from stoic_assets.core.scoring.rounding import half_even
from stoic_assets.defs.evaluation_run import current_evaluation
from stoic_assets.defs.failures import reported
from stoic_assets.defs.ownership import OWNERS
from stoic_assets.defs.partitions import agent_versions

SHOWN_ROWS = 200
"""Rows of a table that go into Dagster's event log; the file holds them all."""
_MADE_ELSEWHERE = {
    "trials": "transcripts",
    "turns": "transcripts",
    "observations": "transcripts",
    "tone_scores": "task_scores",
}


def asset_of(table: str, of_view: bool = False) -> dg.AssetKey:
    """The asset that writes a table for a model; most are called like it.

    Models of one evaluation read its head as `transcripts` wrote it; views look at finished evaluations.
    """
    if table == "evaluations" and not of_view:
        return dg.AssetKey("transcripts")
    return dg.AssetKey(_MADE_ELSEWHERE.get(table, table))


def sql_asset(project: SqlProject, model: str) -> dg.AssetsDefinition:
    """One model as an asset over the evaluation at hand, or over all of them where the model is a view."""
    tests = project.tests(model)

    @dg.asset(
        name=model,
        description=project.description(model),
        group_name="scores",
        kinds={"sql", "duckdb"},
        owners=OWNERS,
        partitions_def=agent_versions,
        deps=sorted({asset_of(name, project.is_view(model)) for name in project.inputs(model)}),
        check_specs=[dg.AssetCheckSpec(test.name, asset=model) for test in tests],
    )
    def run(context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]) -> dg.MaterializeResult:
        with reported():
            manifest, warehouse = current_evaluation(context, workplace.evidence), workplace.warehouse
            found = _view if project.is_view(model) else _stored
            metadata, failing = found(warehouse, model, manifest)
        columns = {"dagster/column_lineage": _lineage(warehouse.models, model)}
        return dg.MaterializeResult(metadata={**metadata, **columns}, check_results=_checks(tests, failing))

    return run


def _stored(warehouse: Warehouse, model: str, manifest: Manifest) -> tuple[dict[str, Any], dict[str, int]]:
    key = (manifest.agent_version, manifest.evaluation_id)
    path = run_model(warehouse, model, *key)
    metadata = {**_shown(warehouse.read(model, *key)), "path": dg.MetadataValue.path(path)}
    return metadata, failing_rows(warehouse, model, *key)


def _view(warehouse: Warehouse, model: str, manifest: Manifest) -> tuple[dict[str, Any], dict[str, int]]:
    rows, failing = tested_view(warehouse, model, agent_of(manifest.agent_version))
    return _shown(rows), failing


def _shown(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Row count, the means of number columns (Dagster plots them over partitions), and the rows themselves."""
    means = {name: _mean([row[name] for row in rows]) for name in (rows[0] if rows else ())}
    shown = [dg.TableRecord({name: _cell(value) for name, value in row.items()}) for row in rows[:SHOWN_ROWS]]
    return {
        "dagster/row_count": len(rows),
        **{f"mean_{name}": mean for name, mean in means.items() if mean is not None},
        **({"rows": dg.MetadataValue.table(shown)} if shown else {}),
    }


def _mean(values: list[Any]) -> float | None:
    numbers = [value for value in values if isinstance(value, float)]
    return sum(numbers) / len(numbers) if numbers else None


def _cell(value: Any) -> str | int | float | bool | None:
    if isinstance(value, float):
        return round(value, 4)
    return value if isinstance(value, bool | int | str) or value is None else str(value)


def _lineage(project: SqlProject, model: str) -> dg.TableColumnLineage:
    def deps(sources: list[tuple[str, str]]) -> list[dg.TableColumnDep]:
        # Two tables of one asset may have columns of the same name; Dagster refuses to be told twice.
        keyed = dict.fromkeys((asset_of(table, project.is_view(model)), column) for table, column in sources)
        return [dg.TableColumnDep(asset, column) for asset, column in keyed]

    return dg.TableColumnLineage({column: deps(sources) for column, sources in lineage(project, model).items()})


def _checks(tests: tuple[ModelTest, ...], failing: dict[str, int]) -> list[dg.AssetCheckResult]:
    return [
        dg.AssetCheckResult(
            check_name=test.name, passed=failing[test.name] == 0, metadata={"failing_rows": failing[test.name]}
        )
        for test in tests
    ]


_project = SqlProject()
sql_assets = [sql_asset(_project, model) for model in _project.order]


@dg.asset(
    group_name="scores",
    kinds={"python", "parquet"},
    owners=OWNERS,
    partitions_def=agent_versions,
    deps=["evaluation_scores", "virtue_scores"],
)
def evaluations(context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]) -> dg.MaterializeResult:
    """The evaluation as a whole: what was planned, scored and invalid, and what it cost."""
    with reported():
        manifest = current_evaluation(context, workplace.evidence)
        tables = EvaluationTables(workplace, manifest)
        [scores] = tables.read("evaluation_scores")
        held, planned = len(tables.read("trials")), len(manifest.spec.plan(manifest.evaluation_id))
        judges = {row["judge_model"] for row in tables.read("virtue_scores")}
        costs = [row["cost_usd"] for row in tables.read("llm_calls")]
        counts = {
            "planned_trials": planned,
            "scored_trials": scores["scored_trials"],
            "invalid_trials": scores["invalid_trials"],
            "cost_usd": None if None in costs else sum(costs),
            "offline": manifest.offline or OFFLINE in judges,
        }
        status = "finished" if held == planned and not tables.out_of_budget() else "incomplete"
        path = tables.write_head(status, datetime.now(UTC).isoformat(), **counts)
        workplace.warehouse.publish()
    average = scores["average_overall"]
    return dg.MaterializeResult(
        metadata={
            "evaluation_id": manifest.evaluation_id,
            "status": status,
            **counts,
            "invalid_share": scores["invalid_trials"] / max(1, planned),
            "average_score": None if average is None else half_even(average),
            "fitness": scores["fitness"],
            "path": dg.MetadataValue.path(path),
            "duckdb": dg.MetadataValue.path(workplace.project.warehouse / "stoic.duckdb"),
        }
    )
