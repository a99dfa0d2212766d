"""Whether a version is worse than its base: the comparison as a table, and the gate as a check."""

from typing import Any

import dagster as dg

from stoic_assets.adapters.disk.release_files import releases_by_version
from stoic_assets.adapters.evaluation import version_comparison
from stoic_assets.adapters.evaluation.release_comparison import Uncompared, await_first_evaluation, compared_with
from stoic_assets.adapters.process.interrupts import run_async
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.comparison.comparison import Comparison
from stoic_assets.core.comparison.comparison_markdown import comparison_markdown
from stoic_assets.core.comparison.comparison_text import headline
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE
from stoic_assets.core.releases import agent_of
from stoic_assets.defs.asset_metadata import OWNERS, numbers
from stoic_assets.defs.evaluation_run import current_evaluation
from stoic_assets.defs.failures import reported
from stoic_assets.defs.partitions import agent_versions

CHECK = "no_regression"
GATE = dg.AssetCheckSpec(
    CHECK, asset="version_comparisons",
    description="Fails when a measure regressed against the base; warns when single assertions hold less often, or "
    "when the comparison with it was refused and the last one found no regression; passes without a base.",
)  # fmt: skip


@dg.asset(
    group_name="comparison",
    kinds={"python", "parquet"},
    owners=OWNERS,
    partitions_def=agent_versions,
    deps=["evaluations", "job_measures", "virtue_scores"],
    check_specs=[GATE],
)
def version_comparisons(
    context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]
) -> dg.MaterializeResult:
    """Whether this version is better or worse than its parent, or than the release before it, measure by measure."""
    with reported(workplace):
        manifest = current_evaluation(context, workplace)
        base = version_comparison.base_version(workplace, manifest)
        if base:
            run_async(await_first_evaluation(workplace, manifest.agent_version, base))
        found = _compared(workplace, manifest, base)
        compared = None if isinstance(found, Uncompared) else found
        path = version_comparison.store_comparison(workplace, manifest, compared)
    return dg.MaterializeResult(
        metadata={"path": dg.MetadataValue.path(path), **_shown(found)}, check_results=[_check(found, base)]
    )


def _compared(workplace: Workplace, manifest: Manifest, base: str | None) -> Comparison | Uncompared:
    """The comparison, or why there is none: a refused comparison does not fail the run."""
    if base is None:
        return Uncompared(_why_no_base(workplace, manifest))
    return compared_with(workplace, manifest, base)


def _why_no_base(workplace: Workplace, manifest: Manifest) -> str:
    version = manifest.agent_version
    if workplace.nights.base_of(manifest.evaluation_id) is None:
        return f"when its night was held, it was the first release of {agent_of(version)}"
    if version in releases_by_version(workplace.project.releases):
        return f"it is the first release of {agent_of(version)}; there is nothing to compare it with"
    return (
        f"releases/ has no readable manifest of {version}, so its base is unknown; run `stoic compare BASE {version}`"
    )


def _shown(found: Comparison | Uncompared) -> dict[str, Any]:
    if isinstance(found, Uncompared):
        return {"not_compared": found.why}
    differences = numbers({f"difference_{row['measure']}": row["difference"] for row in found.gating})
    return {
        "evaluation_id": found.candidate.evaluation_id,
        "base": found.base.agent_version,
        "base_evaluation_id": found.base.evaluation_id,
        "verdict": found.verdict,
        "offline": found.candidate.offline,
        "comparison": dg.MetadataValue.md(comparison_markdown(found)),
        **differences,
    }


def _check(found: Comparison | Uncompared, base: str | None) -> dg.AssetCheckResult:
    """Fails on a regression; warns of weaker assertions, or if there is a base but no verdict was possible."""
    if isinstance(found, Uncompared):
        return dg.AssetCheckResult(
            check_name=CHECK, passed=base is None, severity=_severity(found.regressed),
            description=f"not compared: {found.why}",
        )  # fmt: skip
    has_regressed = found.verdict == "regressed"
    regressed = ", ".join(row["measure"] for row in found.with_verdict("regressed"))
    weaker = ", ".join(each.what for each in found.weaker)
    return dg.AssetCheckResult(
        check_name=CHECK, passed=not has_regressed and not weaker,
        severity=_severity(has_regressed),
        metadata={"verdict": found.verdict, "regressed": regressed, "weaker_assertions": weaker},
        description=f"{headline(found)}{f'. {OFFLINE_NOTE}' if found.candidate.offline else ''}",
    )


def _severity(has_regressed: bool) -> dg.AssetCheckSeverity:
    return dg.AssetCheckSeverity.ERROR if has_regressed else dg.AssetCheckSeverity.WARN
