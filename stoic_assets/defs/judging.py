"""Decides from stored evidence: virtues and tasks by judge models, assertions by comparison."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg

from stoic_assets.adapters.disk.job_files import load_corrections
from stoic_assets.adapters.evaluation.judging import EvaluationJudging, JudgingRequest, Tables
from stoic_assets.adapters.evaluation.tables import VERDICT_ON
from stoic_assets.adapters.process.interrupts import run_async
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.assertions.counting import counts, has_failed
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.jobs.names import trial_name
from stoic_assets.core.judging.silent_judges import answers, in_words, silent_judges
from stoic_assets.core.rounding import mean
from stoic_assets.core.table_rows import Row
from stoic_assets.core.virtues import VIRTUES
from stoic_assets.defs.asset_metadata import OWNERS, numbers, shown
from stoic_assets.defs.evaluation_run import current_evaluation
from stoic_assets.defs.failures import RETRIES, reported
from stoic_assets.defs.partitions import agent_versions
from stoic_assets.defs.run_config import Bounds, checked
from stoic_assets.defs.transcripts import transcripts


class JudgingConfig(dg.Config):
    """How to judge: `fresh` ignores the judge cache, `samples` overrides the evaluation's number of samples.

    `job_files` are corrected jobs. They replace those of the same name, in later judgings too, until a judging with
    `original` discards the corrections.
    """

    samples: int | None = None
    fresh: bool = False
    max_cost: float | None = None
    job_files: list[str] = []
    original: bool = False


def _spec(name: str, description: str) -> dg.AssetSpec:
    return dg.AssetSpec(
        name, description=description, group_name="judging", kinds={"openai", "parquet"}, owners=OWNERS,
        deps=[transcripts],
    )


@dg.multi_asset(
    specs=[
        _spec(
            "virtue_scores",
            "All verdicts of the judge panel on the five virtues.\n\n"
            "Can be materialised again on its own: the agent is not called.",
        ),
        _spec(
            "task_scores",
            "Scores of every task by its acceptance criteria, with the facts as ground truth, and of the tone.",
        ),
    ],
    can_subset=True,
    partitions_def=agent_versions,
    # Before assertion_results, which could not be undone if the cost ceiling refuses new verdicts.
    op_tags={"dagster/priority": "1"},
    retry_policy=RETRIES,
)
def verdicts(
    context: dg.AssetExecutionContext, config: JudgingConfig, workplace: dg.ResourceParam[Workplace]
) -> Iterator[dg.MaterializeResult]:
    """What judge models decide: one step, so that all calls run concurrently."""
    wanted = {key.to_user_string() for key in context.selected_asset_keys}
    with reported(workplace, context):
        manifest = current_evaluation(context, workplace)
        judging = _judging(manifest, config, workplace)
        tables = run_async(judging.verdicts(virtues="virtue_scores" in wanted, tasks="task_scores" in wanted))
        judging.mark_rejudging()
        paths = {table: judging.tables.write(table, rows) for table, rows in tables.items()}
        silent = _silent(judging, tables, workplace)
    for each in silent:
        context.log.warning(each)
    faults = {"silent_judges": "; ".join(silent)} if silent else {}
    about = {"virtue_scores": _about_virtues, "task_scores": _about_tasks}
    for asset in sorted(wanted):
        files = {"path": paths[asset]} | ({"path_tone_scores": paths["tone_scores"]} if asset == "task_scores" else {})
        places = {name: dg.MetadataValue.path(path) for name, path in files.items()}
        metadata = {**about[asset](tables), **faults, "offline": judging.tables.is_offline(tables[asset]), **places}
        yield dg.MaterializeResult(asset_key=asset, metadata=metadata)


def _silent(judging: EvaluationJudging, tables: Tables, workplace: Workplace) -> list[str]:
    """A sentence about each judge that gave no verdict on some or all questions, with its first error."""
    asked = (tables.get(table, []) for table in VERDICT_ON)
    found = silent_judges(answers(judging.tables.read("trials", ("trial_id", "job")), *asked))
    return [workplace.redactor.text(in_words(judge)) for judge in found]


def _about_virtues(tables: Tables) -> dict[str, Any]:
    rows = tables["virtue_scores"]
    scored = [row for row in rows if row["score"] is not None]
    means = {f"mean_{v}": mean(row["score"] for row in scored if row["virtue"] == v) for v in VIRTUES}
    return {
        "dagster/row_count": len(rows),
        **numbers(
            {
                "unscored_share": mean(row["error"] is not None for row in rows),
                "calibrated_share": mean(row["confidence_source"] == "calibrated" for row in scored),
                "not_exercised_share": mean(not row["exercised"] for row in rows if row["exercised"] is not None),
                "grounded": mean(row["grounded"] for row in rows if row["grounded"] is not None),
                **means,
            }
        ),
    }


def _about_tasks(tables: Tables) -> dict[str, Any]:
    rows, tones = tables["task_scores"], tables["tone_scores"]
    return {
        "dagster/row_count": len(rows),
        **numbers(
            {
                "unscored_share": mean(row["score"] is None for row in rows),
                "mean_task": mean(row["score"] for row in rows if row["score"] is not None),
                "mean_tone": mean(row["score"] for row in tones if row["score"] is not None),
            }
        ),
    }


@dg.asset(
    group_name="judging", kinds={"python", "parquet"}, owners=OWNERS, partitions_def=agent_versions, deps=[transcripts]
)
def assertion_results(
    context: dg.AssetExecutionContext, config: JudgingConfig, workplace: dg.ResourceParam[Workplace]
) -> dg.MaterializeResult:
    """For every assertion what was expected and observed, and whether it held. Can run again without a conversation."""
    with reported(workplace):
        manifest = current_evaluation(context, workplace)
        judging = _judging(manifest, config, workplace)
        rows = judging.assertions()
        judging.mark_rejudging()
        judging.update_trials()
        path = judging.tables.write("assertion_results", rows)
    return dg.MaterializeResult(
        metadata={**_about_assertions(rows, manifest.evaluation_id), "path": dg.MetadataValue.path(path)}
    )


def _about_assertions(rows: list[Row], evaluation_id: str) -> dict[str, Any]:
    """The metadata; `errors` counts assertions without a weight too: a broken query has to be mended anyway."""
    return {
        "dagster/row_count": len(rows),
        **numbers({"failed_share": mean(not row["passed"] for row in filter(counts, rows))}),
        "errors": sum(row["passed"] is False and _gave_nothing(row) for row in rows),
        "failed": shown((_shown(row, evaluation_id) for row in filter(has_failed, rows)), _SCHEMA),
    }


def _gave_nothing(row: Row) -> bool:
    """Whether an assertion failed with no value to compare: its query or expression broke, or gave null."""
    return row["error"] is not None and row["actual"] in (None, "null")


_SCHEMA = dg.TableSchema([dg.TableColumn(each) for each in ("trial", "assertion", "text", "expected", "actual", "why")])


def _shown(row: Row, evaluation_id: str) -> Row:
    return {
        "trial": trial_name(row["trial_id"], evaluation_id),
        "assertion": row["assertion"],
        "text": row["text"],
        "expected": row["expected"] or "",
        "actual": row["actual"] or "",
        "why": row["error"] or "",
    }


def _judging(manifest: Manifest, config: JudgingConfig, workplace: Workplace) -> EvaluationJudging:
    checked(Bounds, config.model_dump(include={"samples", "max_cost"}))
    corrected = load_corrections(map(Path, config.job_files))
    request = JudgingRequest(corrected=corrected, **config.model_dump(exclude={"job_files"}))
    return EvaluationJudging(workplace, manifest, request)
