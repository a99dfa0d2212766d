"""Which evaluation a step works on."""

from functools import lru_cache

import dagster as dg

from stoic_assets.adapters.disk.evidence_store import EvidenceStore
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.evaluation.manifest import Manifest


def own_evaluation_id(run: dg.DagsterRun) -> str:
    """The evaluation that a run makes or continues: the tagged one, else that of the run (or its root)."""
    return run.tags.get(EVALUATION_TAG) or run.root_run_id or run.run_id


def version_of(context: dg.AssetExecutionContext) -> str:
    """The agent version of a run: its partition. Raises `ConfigurationError` if it has none."""
    if not context.has_partition_key:
        raise ConfigurationError("this asset needs an agent version; choose a partition")
    return str(context.partition_key)


def current_evaluation(context: dg.AssetExecutionContext, workplace: Workplace) -> Manifest:
    """The evaluation whose evidence this step works on, from now on locked for this run.

    Raises `ConfigurationError` when there is no evaluation yet, or another run works on it.
    """
    version, own, tagged = _asked_for(context, workplace.warehouse)
    manifest = _evaluation_of_run(workplace.evidence, version, own, tagged)
    claim(context, workplace.evidence, version, manifest.evaluation_id)
    return manifest


def _asked_for(context: dg.AssetExecutionContext, warehouse: Warehouse) -> tuple[str, str, bool]:
    """The version and the evaluation that a run is for, and whether it must be just this one."""
    run = context.run
    if context.has_partition_key or context.selected_asset_keys:
        return version_of(context), own_evaluation_id(run), EVALUATION_TAG in run.tags
    # In the web UI no partition can be chosen where only checks are executed: they are of the newest evaluation of all
    # versions that is in the tables. One whose conversations were cut short is in none.
    version = warehouse.newest_version()
    newest = warehouse.evaluations(version)[0]["evaluation_id"]
    return version, run.tags.get(EVALUATION_TAG, newest), True


def claim(context: dg.AssetExecutionContext, evidence: EvidenceStore, version: str, evaluation_id: str) -> None:
    """Locks an evaluation for this run, and tags the run with it: its runs show whether the evaluation was completed.

    A run of checks alone completes nothing, so it is not tagged. Raises `ConfigurationError` when another run works on
    the evaluation.
    """
    evidence.lock_for_run(version, evaluation_id)
    if context.selected_asset_keys and EVALUATION_TAG not in context.run.tags:
        context.instance.add_run_tags(context.run.run_id, {EVALUATION_TAG: evaluation_id})


@lru_cache(maxsize=16)
def _evaluation_of_run(evidence: EvidenceStore, version: str, own: str, tagged: bool) -> Manifest:
    """The run's own evaluation; if there is none and the run is not `tagged` with one, the newest of the version.

    It is chosen once for each run: an evaluation that begins between two of its steps does not count.
    """
    if begun := evidence.manifest(version, own):
        return begun
    if not tagged and (known := evidence.manifests(version)):
        return known[-1]
    of = f"evaluation {own} of {version}" if tagged else version
    raise ConfigurationError(f"there is no evidence for {of}; materialise `transcripts` first")
