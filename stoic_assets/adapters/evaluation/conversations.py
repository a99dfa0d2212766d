"""The conversations of evaluations: held with real agents and graphs, and stored."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from stoic_assets.adapters.evaluation.beginning import Wanted, begin
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.evaluation.underway import EvaluationUnderway
from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.http.request_limit import RequestLimits
from stoic_assets.adapters.process.lean_imports import import_lean_openai, uncollected
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.conversation.rows import observation_rows, trial_row, turn_rows
from stoic_assets.core.conversation.trials import hold_all
from stoic_assets.core.errors import StoicError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.status import CONVERSED
from stoic_assets.core.jobs.plan import alternated
from stoic_assets.core.judging.suspicion import suspicions
from stoic_assets.core.table_rows import Rows


@dataclass(frozen=True)
class HeldEvaluation:
    """The conversations of an evaluation: all its trial rows, and the files that were written, by table."""

    manifest: Manifest
    planned: int
    trials: Rows
    files: dict[str, Path]


Outcomes = dict[str, HeldEvaluation | StoicError]
"""The conversations of each evaluation, or its error, by its id."""


async def hold_evaluation(
    workplace: Workplace, wanted: Wanted, run_id: str, at_once: int | None = None, max_cost: float | None = None
) -> HeldEvaluation:
    """Holds the conversations of an evaluation that are missing, and stores its evidence.

    Raises `ConfigurationError`, `ServiceUnreachable`; the cost ceiling ends it early, with what was held stored.
    """
    held = (await hold_evaluations(workplace, [wanted], run_id, at_once, max_cost))[wanted.evaluation_id]
    if isinstance(held, StoicError):
        raise held
    if "evaluations" in held.files:
        return held
    # Nothing was left to hold. A run that ends before its verdicts is one to resume, whatever it was before.
    head = EvaluationTables(workplace, held.manifest).write_head(CONVERSED, planned_trials=held.planned)
    return replace(held, files={**held.files, "evaluations": head})


async def hold_evaluations(
    workplace: Workplace, wanted: Sequence[Wanted], run_id: str, at_once: int | None = None,
    max_cost: float | None = None,
) -> Outcomes:
    """Holds several evaluations, the same trial of each in turn. A fault in one is its outcome and stops no other.

    Raises faults that concern them all: no graph, a full disk.
    """
    outcomes: Outcomes = {}
    begun: list[Manifest] = []
    with ExitStack() as locks:
        for each in wanted:
            try:
                begun.append(await begin(workplace, each, run_id, max_cost, locks))
            except StoicError as fault:
                outcomes[each.evaluation_id] = fault
        if begun:
            with workplace.graphs() as graphs:
                outcomes |= await _converse(workplace, begun, graphs.subject, at_once, max_cost, len(wanted) == 1)
    return outcomes


async def _converse(
    workplace: Workplace, manifests: Sequence[Manifest], graph: Graph, at_once: int | None, max_cost: float | None,
    alone: bool,
) -> Outcomes:
    limits = RequestLimits(workplace.settings.limits.agent)
    outcomes: Outcomes = {}
    underway: list[EvaluationUnderway] = []
    import_clients(all(manifest.offline for manifest in manifests))
    try:
        for manifest in manifests:
            try:
                underway.append(EvaluationUnderway(workplace, manifest, graph, max_cost, limits, alone))
            except StoicError as fault:
                outcomes[manifest.evaluation_id] = fault
        await graph.ping()
        await _hold_all(workplace, underway, at_once or workplace.settings.conversations.at_once)
    finally:
        for each in underway:
            await each.close()
        await graph.aclose()
    return outcomes | {each.manifest.evaluation_id: _outcome(workplace, each) for each in underway}


def _outcome(workplace: Workplace, underway: EvaluationUnderway) -> HeldEvaluation | StoicError:
    """Stores what was held of one evaluation, even if others fail."""
    result = underway.result()
    if isinstance(result, StoicError):
        return result
    try:
        return _store(workplace, underway.manifest, len(underway.plan), result)
    except StoicError as fault:
        return fault


async def _hold_all(workplace: Workplace, underway: Sequence[EvaluationUnderway], at_once: int) -> None:
    planned = alternated(each.plan for each in underway)
    workplace.progress.begin("conversations", len(planned))
    evaluation_of = {item.trial.trial_id: each for each in underway for item in each.plan}
    await hold_all(
        planned, lambda item: evaluation_of[item.trial.trial_id].hold(item), at_once, workplace.graph_access
    )


def import_clients(offline: bool) -> None:
    """Imports clients early: amid conversations, that would block the loop and add 0.3 to 0.6 s to replies.

    A command calls it earlier, while the embedded graph starts.
    """
    with uncollected():
        import aiohttp  # noqa: F401

        if not offline:
            import_lean_openai()
            import stoic_assets.adapters.models.aiohttp_client  # noqa: F401


def _store(workplace: Workplace, manifest: Manifest, planned: int, evidence: Sequence[Evidence]) -> HeldEvaluation:
    """Stores what is not stored yet; verdicts stay where no trial was held since."""
    jobs = {job.name: job for job in manifest.spec.jobs}
    trials = [workplace.redactor.row(trial_row(e, jobs[e.trial.job], suspicions(e))) for e in evidence]
    store = EvaluationTables(workplace, manifest)
    files = {"llm_calls": store.write_calls()}
    if not _is_stored(store, evidence):
        # The evaluation's own row goes first, so that a kill leaves no old verdict on new trials; `trials`, which
        # show that everything is stored, go last.
        files["evaluations"] = store.write_head(CONVERSED, planned_trials=planned)
        files["turns"] = store.write("turns", [row for e in evidence for row in turn_rows(e)])
        files["observations"] = store.write("observations", [row for e in evidence for row in observation_rows(e)])
        files["trials"] = store.write("trials", trials)
        workplace.evidence.note_clean(manifest)
    return HeldEvaluation(manifest, planned, trials, files)


def _is_stored(store: EvaluationTables, evidence: Sequence[Evidence]) -> bool:
    """Whether exactly these conversations are stored."""
    ended = {each.trial.trial_id: datetime.fromisoformat(each.ended_at) for each in evidence}
    return store.has_evidence() and store.ends() == ended
