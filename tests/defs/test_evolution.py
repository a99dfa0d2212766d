"""What Dagster shows of a fitness update."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import dagster as dg
import pytest
from evaluation_heads import evaluation_head
from judged_trial import TRIAL

from stoic_assets.adapters.evaluation.publishing import Published, publish
from stoic_assets.adapters.messages.outbox import Delivered
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.defs import evolution
from stoic_assets.defs.evolution import fitness_updates
from stoic_assets.defs.scores import sql_models

VERDICT = {
    "trial_id": "t1", "virtue": "wisdom", "judge_model": "sage", "sample": 0, "score": 0.9, "confidence": 0.9,
    "confidence_source": "self", "exercised": True, "reasoning": "",
}  # fmt: skip
SILENT = {"score": None, "confidence": None, "confidence_source": None, "exercised": False}


@pytest.fixture
def shown(
    workplace: Workplace, instance: dg.DagsterInstance, make_manifest: Callable[..., Manifest]
) -> Callable[..., dict[str, Any]]:
    """The metadata of the update of an evaluation with one trial and one verdict."""

    def shown(trial: dict[str, Any], verdict: dict[str, Any]) -> dict[str, Any]:
        manifest = make_manifest()
        key = manifest.agent_version, manifest.evaluation_id
        workplace.evidence.begin(manifest)
        tables = {
            "evaluations": [evaluation_head()], "trials": [{**TRIAL, **trial}],
            "virtue_scores": [{**VERDICT, **verdict}],
            "task_scores": [], "tone_scores": [], "assertion_results": [], "turns": [],
        }  # fmt: skip
        for table, rows in tables.items():
            workplace.warehouse.write(table, *key, rows)
        result = dg.materialize(
            [sql_models, fitness_updates], instance=instance, partition_key=key[0], resources={"workplace": workplace},
            selection=dg.AssetSelection.assets("weak_virtues", fitness_updates),
        )  # fmt: skip
        *_, event = result.get_asset_materialization_events()
        return {name: value.value for name, value in event.materialization.metadata.items()}

    return shown


@pytest.mark.parametrize(
    ("trial", "verdict", "told"),
    [
        ({}, {}, (0.9, "all scored trials are of one job; an interval needs two", "none")),
        ({}, SILENT, (None, "no virtue was scored", "not known")),
        ({"holdout": True}, {}, (None, "only holdout jobs were scored", "not known")),
        (
            {"outcome": "infra_error"}, {},
            (None, "the evaluation is not finished, or too many of its trials are invalid", "not known"),
        ),
    ],
)  # fmt: skip
def test_without_a_fitness_the_reason_is_shown_and_no_virtue_passes_for_strong(
    shown: Callable[..., dict[str, Any]], trial: dict[str, Any], verdict: dict[str, Any],
    told: tuple[float | None, str, str],
) -> None:
    found = shown(trial, verdict)
    assert (found.get("fitness"), found["fitness_why"], found["weak_virtues"]) == told


def test_what_no_service_took_is_shown_with_the_reason(
    shown: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*given: Any) -> Published:
        return replace(await publish(*given), delivery=Delivered(1, 3, ("EVOLUTION_URL: HTTP 503",)))

    monkeypatch.setattr(evolution, "publish", refused)
    found = shown({}, {})
    assert (found["delivered"], found["in_outbox"], found["delivery_faults"]) == (1, 3, "EVOLUTION_URL: HTTP 503")
