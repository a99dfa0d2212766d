"""Which evaluation a step works on, and the loop and signals it runs under."""

import asyncio
import signal
from collections.abc import Coroutine
from functools import lru_cache
from typing import Any, TypeVar

import dagster as dg

from stoic_assets.adapters.evidence_store import EvidenceStore
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation import EVALUATION_TAG, Manifest, evaluation_of

T = TypeVar("T")


def own_evaluation_id(context: dg.AssetExecutionContext) -> str:
    """The evaluation that this run makes or continues: the tagged one, else that of the run (or its root)."""
    return context.run.tags.get(EVALUATION_TAG) or context.run.root_run_id or context.run.run_id


def current_evaluation(context: dg.AssetExecutionContext, evidence: EvidenceStore) -> Manifest:
    """The evaluation whose evidence this step works on, from now on locked for this run.

    Raises `ConfigurationError` when there is none yet, or another run works on it.
    """
    if not context.has_partition_key:
        raise ConfigurationError("this needs an agent version; choose a partition")
    version, run = context.partition_key, context.run
    tagged = run.tags.get(EVALUATION_TAG)
    manifest = _evaluation_of_run(evidence, version, run.run_id, run.root_run_id, tagged)
    evidence.lock_for_run(version, manifest.evaluation_id)
    return manifest


@lru_cache(maxsize=16)
def _evaluation_of_run(
    evidence: EvidenceStore, version: str, run_id: str, root_run_id: str | None, tagged: str | None
) -> Manifest:
    """Chosen once a run: an evaluation that begins between two of its steps is none of its business."""
    known = {manifest.evaluation_id: manifest for manifest in evidence.manifests(version)}
    wanted = evaluation_of(tagged, root_run_id, run_id, list(known))
    if wanted not in known:
        raise ConfigurationError(f"there is no evidence for {version}; materialise `transcripts` first")
    return known[wanted]


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Runs `work` in a loop of its own, whose connections are closed with it.

    Dagster's loop for async assets lives as long as the run: connections of one asset stayed open in it, and were
    dropped with warnings in the end. Ctrl-C cancels `work` in good order, where Dagster's own handling would skip every
    `finally`.
    """
    return asyncio.run(_cancelled_by_interrupt(work))


async def _cancelled_by_interrupt(work: Coroutine[Any, Any, T]) -> T:
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)
    try:
        loop.add_signal_handler(signal.SIGINT, task.cancel)
    except (RuntimeError, ValueError):
        return await task  # not the main thread: nobody sends this thread a Ctrl-C
    try:
        return await task
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        loop.remove_signal_handler(signal.SIGINT)
