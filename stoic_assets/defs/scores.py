"""The SQL models as assets: each with the lineage of its columns, and its `schema.yml` tests as asset checks.

The evaluation as a whole is made with them: it may only be called finished by scores of the verdicts that it has.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import dagster as dg

from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.warehouse.duckdb_engine import is_interrupt
from stoic_assets.adapters.warehouse.sql_lineage import lineage
from stoic_assets.adapters.warehouse.sql_models import EvaluationModels, open_models, tested_view
from stoic_assets.adapters.warehouse.sql_project import SqlProject
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import TableMissing
from stoic_assets.core.nights.nightly import no_verdict
from stoic_assets.core.releases import agent_of
from stoic_assets.core.rounding import half_even
from stoic_assets.core.scoring.validity import invalid_share
from stoic_assets.defs.asset_metadata import OWNERS, numbers, of_version
from stoic_assets.defs.evaluation_run import current_evaluation
from stoic_assets.defs.failures import reported
from stoic_assets.defs.partitions import agent_versions
from stoic_assets.defs.run_failures import report_no_verdict

_MADE_ELSEWHERE = {
    "trials": "transcripts",
    "turns": "transcripts",
    "observations": "transcripts",
    "tone_scores": "task_scores",
}
_project = SqlProject()
Result = dg.MaterializeResult | dg.AssetCheckResult


def _asset_of(table: str, of_view: bool) -> dg.AssetKey:
    """The asset that writes a table for a model; most have the table's name.

    Models of one evaluation read its row as `transcripts` wrote it; views read finished evaluations.
    """
    if table == "evaluations" and not of_view:
        return dg.AssetKey("transcripts")
    return dg.AssetKey(_MADE_ELSEWHERE.get(table, table))


def _spec(model: str) -> dg.AssetSpec:
    return dg.AssetSpec(
        model,
        description=_project.description(model),
        group_name="scores",
        kinds={"sql", "duckdb"},
        owners=OWNERS,
        deps=sorted({_asset_of(name, _project.is_view(model)) for name in _inputs(model)}),
    )


def _inputs(model: str) -> frozenset[str]:
    """What must be there before a model is made: `sql_models` makes all that are stored, whichever are selected."""
    return _project.inputs(model) | (frozenset() if _project.is_view(model) else _sources())


def _sources() -> frozenset[str]:
    """What the models of one evaluation read, except each other."""
    return frozenset[str]().union(*map(_project.inputs, _project.stored)) - {*_project.stored}


_evaluations = dg.AssetSpec(
    "evaluations",
    description="The evaluation as a whole: how many trials were planned, scored and invalid, and the cost.",
    group_name="scores",
    kinds={"python", "parquet"},
    owners=OWNERS,
    deps=sorted({_asset_of(name, of_view=False) for name in (*_project.stored, *_sources())}),
)


def _check_specs(models: Iterable[str]) -> list[dg.AssetCheckSpec]:
    return [
        dg.AssetCheckSpec(
            test.name, asset=model, description=f"Fails when this query returns a row:\n\n```sql\n{test.sql}\n```"
        )
        for model in models
        for test in _project.tests(model)
    ]


@dg.multi_asset(
    specs=[*map(_spec, _project.stored), _evaluations],
    check_specs=_check_specs(_project.stored),
    can_subset=True,
    partitions_def=agent_versions,
)
def sql_models(context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]) -> Iterator[Result]:
    """The models of one evaluation, and the evaluation, in one step: with a step for each they cost twice as much.

    If some are selected, all models are computed and stored, and the selected ones recorded: no row is made of new
    verdicts and old ones. A failed model prevents those that read it, and no others, and that the evaluation is
    finished. Each failure is logged, the first is the step's; but that evidence is still missing is no fault of models
    which are not selected.
    """
    failed: dict[str, Exception] = {}
    with reported(workplace):
        manifest = current_evaluation(context, workplace)
        tables = EvaluationTables(workplace, manifest)
        offline = tables.is_offline()
        with open_models(workplace.warehouse, *manifest.key) as models:
            for model in _project.stored:
                if of_inputs := _project.inputs(model) & failed.keys():
                    failed[model] = failed[min(of_inputs)]  # logged where it happened
                    continue
                try:
                    results = list(_results(context, models, model, manifest.agent_version, offline))
                except Exception as error:
                    if is_interrupt(error):
                        raise
                    context.log.error(f"{model}: {workplace.redactor.text(str(error))}")
                    failed[model] = error
                else:
                    yield from results
        keys = {*context.selected_asset_keys, *(check.asset_key for check in context.selected_asset_check_keys)}
        for model, fault in failed.items():
            if keys & {dg.AssetKey(model), _evaluations.key} or not isinstance(fault, TableMissing):
                raise fault
        if _evaluations.key in keys:
            yield _finished(context, workplace, tables)


def _results(
    context: dg.AssetExecutionContext, models: EvaluationModels, model: str, version: str, offline: bool
) -> Iterator[Result]:
    """Computes one model, unless the run selected only checks; the results of what it selected of this model."""
    key = dg.AssetKey(model)
    if context.selected_asset_keys:
        path, rows = models.run(model)
    if key in context.selected_asset_keys:
        about = of_version(_project, model, rows, version)
        yield _materialised(model, about, offline=offline, path=dg.MetadataValue.path(path))
    asked = {check.name for check in context.selected_asset_check_keys if check.asset_key == key}
    if asked:
        yield from (check for check in _checks(model, models.failing(model)) if check.check_name in asked)


def _finished(
    context: dg.AssetExecutionContext, workplace: Workplace, tables: EvaluationTables
) -> dg.MaterializeResult:
    """Stores the row of an evaluation whose models were just made, and says so if it has no verdict."""
    path, found = tables.finish()
    [head], [scores] = tables.read("evaluations"), tables.read("evaluation_scores")
    if why := no_verdict(head, workplace.settings.invalid_trials_threshold):
        report_no_verdict(context, workplace, head["evaluation_id"], why)
    ended = found["scored_trials"], found["invalid_trials"]
    share = invalid_share(*ended) if any(ended) else None
    return dg.MaterializeResult(
        asset_key=_evaluations.key,
        metadata={
            "evaluation_id": scores["evaluation_id"],
            **found,
            **({"no_verdict": why} if why else {}),
            "average_score": half_even(scores["average_overall"]),
            **numbers({"fitness": scores["fitness"], "invalid_share": share, "cost_usd": found["cost_usd"]}),
            "path": dg.MetadataValue.path(path),
            "duckdb": dg.MetadataValue.path(workplace.warehouse.publish()),
        },
    )


def _sql_view(model: str) -> dg.AssetsDefinition:
    """A model across evaluations as an asset: its rows of one agent."""

    @dg.multi_asset(name=model, specs=[_spec(model)], check_specs=_check_specs([model]), partitions_def=agent_versions)
    def run(context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]) -> Iterator[Result]:
        with reported(workplace):
            manifest = current_evaluation(context, workplace)
            rows, failing = tested_view(workplace.warehouse, model, agent_of(manifest.agent_version))
        yield _materialised(model, of_version(_project, model, rows, manifest.agent_version))
        yield from _checks(model, failing)

    return run


def _materialised(model: str, about: dict[str, Any], **more: Any) -> dg.MaterializeResult:
    metadata = {**about, **more, "dagster/column_lineage": _lineage(model)}
    return dg.MaterializeResult(asset_key=model, metadata=metadata)


def _checks(model: str, failing: Mapping[str, int]) -> list[dg.AssetCheckResult]:
    """The check results, beside the asset's own: in it, Dagster would look up the materialisation twice for each."""
    return [
        dg.AssetCheckResult(asset_key=model, check_name=name, passed=rows == 0, metadata={"failing_rows": rows})
        for name, rows in failing.items()
    ]


def _lineage(model: str) -> dg.TableColumnLineage:
    def deps(sources: list[tuple[str, str]]) -> list[dg.TableColumnDep]:
        # Two tables of one asset may have columns of the same name; Dagster refuses duplicates.
        keyed = dict.fromkeys((_asset_of(table, _project.is_view(model)), column) for table, column in sources)
        return [dg.TableColumnDep(asset, column) for asset, column in keyed]

    return dg.TableColumnLineage({column: deps(sources) for column, sources in lineage(_project, model).items()})


sql_assets = [sql_models, *(_sql_view(model) for model in _project.order if _project.is_view(model))]
