"""Publishes an evaluation: the fitness update, the events, and GEPA's batch.

What people found about a version goes into each of its fitness updates besides what the judges found.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from stoic_assets.adapters.disk.release_files import as_released
from stoic_assets.adapters.evaluation.delivery import deliver, times_locked
from stoic_assets.adapters.evaluation.stored_comparison import compare_again, why_outdated
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.messages.outbox import Delivered, fitness_message
from stoic_assets.adapters.messages.receiver import addresses
from stoic_assets.adapters.ratings.feedback_files import human_evaluations
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.comparison.side import ComparisonRefused
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation import FINISHED, Manifest, way_to_finish
from stoic_assets.core.evolution.checks import checks
from stoic_assets.core.evolution.events import Event, applied, compared, completed, events_of_evaluation
from stoic_assets.core.evolution.fitness import FitnessUpdate, deliverable, fitness_update
from stoic_assets.core.evolution.fitness_comparison import Scale, against_base, scale_of
from stoic_assets.core.evolution.gepa import Batch, evaluation_batch
from stoic_assets.core.evolution.said_examples import only_said
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation, stoic_evaluations
from stoic_assets.core.feedback.human_evaluation import FEEDBACK, RATINGS
from stoic_assets.core.table_rows import Row

_TO_LEARN_FROM = {
    "trials": ("trial_id", "holdout", "scenario"),
    "composite_scores": ("trial_id", "job", "outcome", "valid", "virtue_overall", "virtue_confidence"),
    "trial_virtues": ("trial_id", "virtue", "score", "confidence", "confidence_source"),
    "virtue_scores": (
        "trial_id", "virtue", "judge_model", "sample", "score", "reasoning", "supporting_examples",
        "improvement_suggestions",
    ),
}  # fmt: skip
"""The columns of each table that `stoic_evaluations` reads, in its order."""
_MEASURED_WITH = {
    "trials": ("trial_id", "job", "job_hash", "scenario", "condition", "holdout", "evaluator_model"),
    "virtue_scores": ("trial_id", "virtue", "judge_model", "sample", "prompt_hash", "error"),
}
"""The columns of each table that `scale_of` reads, in its order."""
_CHECKED = ("trial_id", "assertion", "text", "weight", "passed")
"""The columns of `assertion_results` from which evolution learns."""
_NO_VERDICT = "the evaluation is not finished, or too many of its trials are invalid"


@dataclass(frozen=True)
class Published:
    """The update of an evaluation, how delivery went, and the files with its rows."""

    update: FitnessUpdate
    delivery: Delivered
    files: dict[str, Path]


def read_evaluations(workplace: Workplace, manifest: Manifest) -> tuple[EvaluationHead, list[StoicEvaluation]]:
    """The scored trials of an evaluation as the judges saw them."""
    tables = EvaluationTables(workplace, manifest)
    [evaluation] = tables.read("evaluations")
    head = EvaluationHead(
        manifest.agent_version, manifest.evaluation_id, manifest.started_at, offline=evaluation["offline"]
    )
    return head, stoic_evaluations(head, *[tables.read(name, columns) for name, columns in _TO_LEARN_FROM.items()])


async def publish(workplace: Workplace, manifest: Manifest) -> Published:
    """Puts fitness update and events into the outbox, delivers what has an address, and stores both tables."""
    head, evaluations = read_evaluations(workplace, manifest)
    tables, outbox = EvaluationTables(workplace, manifest), workplace.outbox
    comparison = _comparison(workplace, manifest)
    update = _update(workplace, manifest, head, evaluations, _open_comparison(workplace, manifest, comparison))
    update = _revised(workplace, tables, update if _conclusive(tables) else update.void(_NO_VERDICT))
    events = [completed(evaluation) for evaluation in evaluations]
    if (of_evaluation := applied(update)) is not None:
        events.append(of_evaluation)
    if verdict := against_base(comparison):
        events.append(compared(head, verdict))
    clean = _clean(workplace, events)
    possible = events_of_evaluation(head) | {trial["trial_id"] for trial in tables.read("trials", ("trial_id",))}
    outbox.withdraw("events", possible - clean.keys(), manifest.agent_version)
    delivery = await _deliver(workplace, manifest.agent_version, update, clean)
    with times_locked(workplace):
        times = outbox.delivery_times("events", clean)
        rows = [event.row(times[key]) for key, event in clean.items()]
        [delivered_at] = outbox.delivery_times("fitness", [_message(update)]).values()
        files = {
            "fitness_updates": tables.write("fitness_updates", [update.row(delivered_at)]),
            "events": workplace.warehouse.write("events", manifest.agent_version, manifest.evaluation_id, rows),
        }
    return Published(update, delivery, files)


def gepa_batch(workplace: Workplace, manifest: Manifest, jobs: Sequence[str] | None = None) -> Batch:
    """The judged trials of an evaluation in GEPA's shape: one entry for each, or for each of `jobs`.

    Raises `ConfigurationError` when the evaluation is not finished or has too many invalid trials, and
    `NothingToLearn` for a job that is held out or was not scored.
    """
    tables = EvaluationTables(workplace, manifest)
    if not _conclusive(tables):
        again = way_to_finish(manifest.agent_version, manifest.evaluation_id, tables.read("evaluations")[0]["status"])
        raise ConfigurationError(
            f"evaluation {manifest.evaluation_id} of {manifest.agent_version} is not finished or has too many invalid "
            f"trials; nothing can be learned from it until {again} has corrected that"
        )
    _, evaluations = read_evaluations(workplace, manifest)
    results = tables.read("assertion_results", _CHECKED)
    return evaluation_batch(evaluations, tables.read("trials"), _turns(tables), jobs, results)


def _update(
    workplace: Workplace, manifest: Manifest, head: EvaluationHead, evaluations: Sequence[StoicEvaluation],
    comparison: Sequence[Row],
) -> FitnessUpdate:  # fmt: skip
    tables = EvaluationTables(workplace, manifest)
    said = only_said(evaluations, _turns(tables))
    people = human_evaluations(workplace, manifest.agent_version)
    settings, released = workplace.settings, as_released(workplace.project.releases, manifest)
    results = tables.read("assertion_results", _CHECKED)
    composites = tables.read("composite_scores", ("trial_id", "job", "valid", "passed"))
    update = fitness_update(
        head, [*said, *people], settings.weakness, evolution=settings.evolution, parents=released.parents,
        comparison=comparison, scale=_scale(tables, head, composites),
    )
    return replace(update, checks=checks(composites, results, {each.id for each in said if not each.holdout}))


def _scale(tables: EvaluationTables, head: EvaluationHead, composites: Iterable[Row]) -> Scale:
    """What the evaluation was measured with; a job of which no trial is valid has no part in its fitness."""
    trials, verdicts = (tables.read(name, columns) for name, columns in _MEASURED_WITH.items())
    valid = {row["trial_id"] for row in composites if row["valid"]}
    return scale_of([trial for trial in trials if trial["trial_id"] in valid], verdicts, offline=head.offline)


def _revised(workplace: Workplace, tables: EvaluationTables, update: FitnessUpdate) -> FitnessUpdate:
    """The update with its revision, as the successor of the one that was sent for the evaluation before."""
    if former := workplace.outbox.newest("fitness", _message(update)):
        return update.after(former)
    stored = next(iter(tables.read_if_stored("fitness_updates")), None)
    # The outbox was deleted, or had nothing to send.
    return update.after(stored) if stored and deliverable(stored) else update


def _message(update: FitnessUpdate) -> str:
    return fitness_message(update.head.agent_version, update.head.evaluation_id)


def _conclusive(tables: EvaluationTables) -> bool:
    """Whether the evaluation ended and enough of its trials count."""
    return tables.read("evaluations")[0]["status"] == FINISHED and bool(
        tables.read("evaluation_scores")[0]["conclusive"]
    )


def _turns(tables: EvaluationTables) -> list[Row]:
    return tables.read_if_stored("turns", ("trial_id", "turn", "speaker", "content", "events"))


def _open_comparison(workplace: Workplace, manifest: Manifest, comparison: list[Row]) -> list[Row]:
    """The comparison with the base without holdout jobs, if there are any: these count in verdicts."""
    trials = EvaluationTables(workplace, manifest).read("trials", ("job", "holdout"))
    held_out = {trial["job"] for trial in trials if trial["holdout"]}
    return _comparison(workplace, manifest, held_out) if held_out else comparison


def _comparison(workplace: Workplace, manifest: Manifest, without: Collection[str] = ()) -> list[Row]:
    """The comparison with the base; made again if jobs must be left out, or if scores have changed since."""
    rows = EvaluationTables(workplace, manifest).read_if_stored("version_comparisons")
    if not rows or not (without or why_outdated(workplace, rows)):
        return rows
    try:
        return compare_again(workplace, rows, without).rows()
    except ComparisonRefused:  # they have only holdout jobs in common, or the base is gone or changes
        return []


async def publish_feedback(workplace: Workplace, agent_version: str) -> Delivered:
    """Puts an event for everything that people found about a version into the outbox, delivers, stores the events.

    Waiting events about feedback that is gone are withdrawn. The fitness update follows with the next `publish` of an
    evaluation of that version.
    """
    evaluations, outbox = human_evaluations(workplace, agent_version), workplace.outbox
    clean = _clean(workplace, [completed(each) for each in evaluations])
    former = "select id from events where agent_version = ? and evaluation_id in (?, ?)"
    told = {row["id"] for row in workplace.warehouse.query(former, [agent_version, FEEDBACK, RATINGS])}
    outbox.withdraw("events", told - clean.keys(), agent_version)
    delivery = await _deliver(workplace, agent_version, None, clean)
    with times_locked(workplace):
        times = outbox.delivery_times("events", clean)
        for evaluation_id in (FEEDBACK, RATINGS):
            ids = [each.id for each in evaluations if each.head.evaluation_id == evaluation_id]
            rows = [clean[each].row(times[each]) for each in ids]
            if rows or workplace.warehouse.has("events", agent_version, evaluation_id):
                workplace.warehouse.write("events", agent_version, evaluation_id, rows)
    return delivery


def _clean(workplace: Workplace, events: Iterable[Event]) -> dict[str, Event]:
    """The events without secrets, by id."""
    return {event.id: Event(**workplace.redactor.row(vars(event))) for event in events}


async def _deliver(
    workplace: Workplace, version: str, update: FitnessUpdate | None, events: Mapping[str, Event]
) -> Delivered:
    outbox, new = workplace.outbox, set(events)
    if update is not None and update.deliverable:
        outbox.put("fitness", {_message(update): workplace.redactor.row(update.payload())}, version)
        new.add(_message(update))
    outbox.put("events", {key: event.document() for key, event in events.items()}, version)
    return await deliver(workplace, addresses(workplace.env), new)
