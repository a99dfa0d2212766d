"""Publishes an evaluation: the fitness update, the events, and GEPA's batch."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stoic_assets.adapters.evaluation.delivery import deliver, times_locked
from stoic_assets.adapters.evaluation.human_evaluations import human_evaluations
from stoic_assets.adapters.evaluation.publication import Publication
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.messages.outbox import Delivered, fitness_message
from stoic_assets.adapters.messages.receiver import addresses
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.next_command import way_to_finish
from stoic_assets.core.evaluation.status import CONVERSED, FINISHED
from stoic_assets.core.evolution.events import Event, completed, events_of_evaluation
from stoic_assets.core.evolution.fitness import FitnessUpdate, deliverable
from stoic_assets.core.evolution.gepa import Batch, evaluation_batch
from stoic_assets.core.evolution.stoic_evaluation import StoicEvaluation
from stoic_assets.core.feedback.human_evaluation import FEEDBACK, RATINGS

IMPORTING = ("feedback", "another process imports what people found; this waits for that")
"""The turn of whoever takes in and publishes what people found. A model may be asked for minutes.

Of two at once, the one that stored last would remove the rows and events of files that it had not seen, and both would
pay for the same dialogues. Whoever deletes a version waits for it: an import would write back what it had read.
"""


@dataclass(frozen=True)
class Published:
    """The update of an evaluation, how delivery went, and the files with its rows."""

    update: FitnessUpdate
    delivery: Delivered
    files: dict[str, Path]


async def publish(workplace: Workplace, manifest: Manifest) -> Published:
    """Puts fitness update and events into the outbox, delivers what has an address, and stores both tables.

    The events about what people found go again where they differ by now, for instance in `holdout`.
    """
    publication, outbox = Publication(workplace, manifest), workplace.outbox
    if publication.people and not is_told(workplace, manifest.agent_version, publication.people):
        async with workplace.in_turn(*IMPORTING):
            await publish_feedback(workplace, manifest.agent_version)
    tables = publication.tables
    update = _revised(workplace, tables, publication.update())
    clean = _clean(workplace, publication.events(update))
    trials = {trial["trial_id"] for trial in tables.read("trials", ("trial_id",))}
    possible = events_of_evaluation(publication.head) | trials
    outbox.withdraw("events", possible - clean.keys(), manifest.agent_version)
    delivery = await _deliver(workplace, manifest.agent_version, update, clean)
    with times_locked(workplace):
        times = outbox.delivery_times("events", clean)
        rows = [event.row(times[key]) for key, event in clean.items()]
        [delivered_at] = outbox.delivery_times("fitness", [_message(update)]).values()
        files = {
            "fitness_updates": tables.write("fitness_updates", [update.row(delivered_at)]),
            "events": workplace.warehouse.write("events", *manifest.key, rows),
        }
    return Published(update, delivery, files)


def gepa_batch(workplace: Workplace, manifest: Manifest, jobs: Sequence[str] | None = None) -> Batch:
    """The judged trials of an evaluation in GEPA's shape: one entry for each, or for each of `jobs`.

    Raises `ConfigurationError` when the evaluation is not finished or has too many invalid trials, and
    `NothingToLearn` for a job that is held out or was not scored.
    """
    publication = Publication(workplace, manifest)
    tables = publication.tables
    status = tables.head().get("status", CONVERSED)
    if status != FINISHED or not publication.conclusive:
        at_work = workplace.evidence.is_being_evaluated(*manifest.key)
        way = f"{way_to_finish(*manifest.key, status)} has corrected that"
        raise ConfigurationError(
            f"evaluation {manifest.evaluation_id} of {manifest.agent_version} is not finished or has too many invalid "
            f"trials; nothing can be learned from it until {'its run has ended' if at_work else way}"
        )
    return evaluation_batch(
        publication.evaluations, tables.read("trials"), publication.turns, jobs, publication.checked,
        publication.scale().key,
    )


def _revised(workplace: Workplace, tables: EvaluationTables, update: FitnessUpdate) -> FitnessUpdate:
    """The update with its revision, as the successor of the one that was sent for the evaluation before."""
    if former := workplace.outbox.newest("fitness", _message(update)):
        return update.after(former)
    stored = next(iter(tables.read_if_stored("fitness_updates")), None)
    # The outbox was deleted, or had nothing to send.
    return update.after(stored) if stored and deliverable(stored) else update


def _message(update: FitnessUpdate) -> str:
    return fitness_message(update.head.agent_version, update.head.evaluation_id)


def is_told(workplace: Workplace, agent_version: str, people: Iterable[StoicEvaluation]) -> bool:
    """Whether the stored events about a version say just what `people` found."""
    events = _of_people(workplace, people)
    return _told(workplace, agent_version) == {key: event.row()["data"] for key, event in events.items()}


async def publish_feedback(workplace: Workplace, agent_version: str) -> Delivered:
    """Puts an event for everything that people found about a version into the outbox, delivers, stores the events.

    Waiting events about feedback that is gone are withdrawn. The fitness update follows with the next `publish` of an
    evaluation of that version. To be called in the turn `IMPORTING`.
    """
    evaluations, outbox = human_evaluations(workplace, agent_version), workplace.outbox
    clean = _of_people(workplace, evaluations)
    outbox.withdraw("events", _told(workplace, agent_version).keys() - clean.keys(), agent_version)
    delivery = await _deliver(workplace, agent_version, None, clean)
    with times_locked(workplace):
        times = outbox.delivery_times("events", clean)
        for evaluation_id in (FEEDBACK, RATINGS):
            ids = [each.id for each in evaluations if each.head.evaluation_id == evaluation_id]
            rows = [clean[each].row(times[each]) for each in ids]
            if rows or workplace.warehouse.has("events", agent_version, evaluation_id):
                workplace.warehouse.write("events", agent_version, evaluation_id, rows)
    return delivery


def _of_people(workplace: Workplace, evaluations: Iterable[StoicEvaluation]) -> dict[str, Event]:
    """An event for each of them, without secrets, by id."""
    return _clean(workplace, map(completed, evaluations))


def _told(workplace: Workplace, agent_version: str) -> dict[str, str]:
    """The data of the stored events about what people found of a version, by id."""
    stored = "select id, data from events where agent_version = ? and evaluation_id in (?, ?)"
    rows = workplace.warehouse.query(stored, [agent_version, FEEDBACK, RATINGS])
    return {row["id"]: row["data"] for row in rows}


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
