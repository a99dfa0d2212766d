"""One judged trial, and the step that makes the SQL models of its evaluation, and finishes it."""

from typing import Any

import dagster as dg

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.defs.scores import sql_models

VERSION, EVALUATION, STARTED = "marcus@1.0.0", "e1", "2026-11-20T00:00:00+00:00"
KEY = (VERSION, EVALUATION)
TRIAL = {
    "trial_id": "t1", "job": "mentor", "holdout": False, "condition": "withheld", "repeat": 1,
    "outcome": "signed_off", "failure_count": 0, "planned_tasks": 0, "turns": 2,
}  # fmt: skip
VERDICT = {
    "trial_id": "t1", "virtue": "wisdom", "judge_model": "judge", "sample": 0, "score": 0.6, "confidence": 1.0,
    "confidence_source": "self", "exercised": True,
}  # fmt: skip
CHECK = {"trial_id": "t1", "assertion": "1", "kind": "cypher", "text": "RETURN 1", "passed": True, "weight": 1.0}

WHOLE = dg.AssetSelection.assets("evaluations")
MODELS = dg.AssetSelection.assets(sql_models) - WHOLE


def materialise(
    instance: dg.DagsterInstance, workplace: Workplace, selection: dg.AssetSelection | None = None,
    version: str | None = VERSION,
) -> tuple[list[str], list[dg.AssetCheckEvaluation]]:
    """The models that were materialised, in order, and the checks that were evaluated; selected is all but the end."""
    result = dg.materialize(
        [sql_models], resources={"workplace": workplace}, instance=instance, partition_key=version,
        tags={EVALUATION_TAG: EVALUATION}, raise_on_error=False, selection=selection or MODELS,
    )  # fmt: skip
    made = [event.materialization.asset_key.to_user_string() for event in result.get_asset_materialization_events()]
    return made, list(result.get_asset_check_evaluations())


def finish(instance: dg.DagsterInstance, workplace: Workplace) -> dict[str, Any]:
    """Materialises `evaluations` alone; returns what Dagster shows of it."""
    result = dg.materialize(
        [sql_models], resources={"workplace": workplace}, instance=instance, partition_key=VERSION,
        tags={EVALUATION_TAG: EVALUATION}, selection=WHOLE,
    )  # fmt: skip
    [event] = result.get_asset_materialization_events()
    return {name: value.value for name, value in event.materialization.metadata.items()}
