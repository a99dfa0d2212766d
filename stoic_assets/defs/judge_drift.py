"""Watches the judge: judges stored transcripts again, so that a judge that moved is not taken for a changed agent.

No retry policy: without the judge cache every further try would be paid for in full.
"""

from datetime import UTC, datetime
from typing import Any

import dagster as dg

from stoic_assets.adapters.evaluation.delivery import announce
from stoic_assets.adapters.evaluation.judge_drift import Watch, watch_judge
from stoic_assets.adapters.models.connect import connect_model
from stoic_assets.adapters.process.interrupts import run_async
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.grouping import grouped
from stoic_assets.defs.asset_metadata import OWNERS, numbers
from stoic_assets.defs.failures import delivery_faults, reported

UNMOVED = "judge_did_not_move"


class JudgeDriftConfig(dg.Config):
    """With `renew` the present judge becomes the reference; otherwise it is compared with the existing reference."""

    renew: bool = False


@dg.asset(
    group_name="comparison",
    kinds={"openai", "parquet"},
    owners=OWNERS,
    deps=["transcripts"],
    check_specs=[
        dg.AssetCheckSpec(
            UNMOVED, asset="judge_drift",
            description="Fails when the judge scores a virtue differently from the reference.",
        )
    ],
)
def judge_drift(config: JudgeDriftConfig, workplace: dg.ResourceParam[Workplace]) -> dg.MaterializeResult:
    """Whether the judge has changed: it scores a fixed set of stored transcripts again, without its cache.

    The scores are compared with earlier ones of the same transcripts. The first run makes this reference instead.
    """
    with reported(workplace):
        provider = connect_model(workplace.env, workplace.settings)
        watch = run_async(watch_judge(workplace, provider, datetime.now(UTC), config.renew))
        deliveries = [announce(workplace, [watch.event])] if watch.event else []
    return dg.MaterializeResult(
        metadata={**_metadata(watch), **delivery_faults(deliveries)}, check_results=[_check(watch)]
    )


def _metadata(watch: Watch) -> dict[str, Any]:
    """Shift, noise and detectable shift of each virtue as numbers, which Dagster plots over the nights."""
    drifts, names = watch.measurement.drifts, ("shift", "noise_sd", "detectable")
    measured = numbers({f"{name}_{drift.virtue}": getattr(drift, name) for name in names for drift in drifts})
    return {
        "dagster/row_count": len(drifts),
        "evaluation_id": watch.evaluation_id,
        "reference_id": watch.measurement.reference_id,
        "judge_models": ", ".join(watch.measurement.judge_models),
        **({"answered_by": ", ".join(watch.answered_by)} if watch.answered_by else {}),
        "transcripts": max(drift.transcripts for drift in drifts),
        "set": _set(watch),
        **measured,
        "alarm": bool(watch.measurement.alarms),
        "why": _why(watch) or "measured",
        **numbers({"cost_usd": watch.cost_usd}),
        "path": dg.MetadataValue.path(watch.path),
    }


def _check(watch: Watch) -> dg.AssetCheckResult:
    """The check of the judge, which also passes where nothing could be measured, and then says so."""
    alarms, why = watch.measurement.alarms, _why(watch)
    shifts = numbers({f"shift_{drift.virtue}": drift.shift for drift in alarms})
    return dg.AssetCheckResult(
        check_name=UNMOVED, passed=not alarms, metadata={**shifts, "set": _set(watch)},
        description=f"not measured: {why}" if why else None,
    )


def _why(watch: Watch) -> str:
    """Why virtues were not measured, with their names unless it is all of them; empty where all were."""
    reasons = grouped((drift.why, drift.virtue) for drift in watch.measurement.drifts if drift.why)
    every = len(watch.measurement.drifts)
    return "; ".join(why if len(of) == every else f"{', '.join(of)}: {why}" for why, of in sorted(reasons.items()))


def _set(watch: Watch) -> str:
    """How many transcripts the judge is watched by, and how to have more where more are stored."""
    more = f"; {watch.available} are stored now: materialise with `renew: true`"
    return f"{watch.transcripts} of {watch.wanted}{more if watch.available > watch.transcripts else ''}"
