"""Imports what people found, and tells the services that listen."""

from dataclasses import dataclass

from stoic_assets.adapters.evaluation.human_evaluations import human_evaluations
from stoic_assets.adapters.evaluation.publishing import IMPORTING, is_told, publish_feedback
from stoic_assets.adapters.messages.outbox import Delivered
from stoic_assets.adapters.ratings.feedback_files import FeedbackRows, feedback_models, read_feedback, store_feedback
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.feedback.human_evaluation import FEEDBACK, RATINGS

_KNOWN = """
    select agent_version from human_feedback_evaluations
    union select agent_version from events where evaluation_id in (?, ?)
"""
"""The versions that people said something about, now or before."""


@dataclass(frozen=True)
class FeedbackImport:
    """What people found, the versions for which that changed, and how the delivery of their events went."""

    feedback: FeedbackRows
    versions: list[str]
    deliveries: list[Delivered]


async def import_feedback(workplace: Workplace) -> FeedbackImport:
    """Brings `human_feedback_evaluations` up to date with feedback files and ratings, and publishes what changed.

    It also publishes what changed in an earlier call that was cut off before it could, and events that differ by now,
    because a job is a holdout job since or is one no more.
    It waits, and says so, while another process imports. Raises `StorageError`, and `ConfigurationError` as
    `read_feedback`.
    """
    async with workplace.in_turn(*IMPORTING):
        feedback = await read_feedback(workplace, feedback_models(workplace))
        versions = sorted({version for version, _ in store_feedback(workplace, feedback)})
        untold = sorted({*versions, *_untold(workplace)})
        deliveries = [await publish_feedback(workplace, version) for version in untold]
    return FeedbackImport(feedback, versions, deliveries)


def _untold(workplace: Workplace) -> set[str]:
    """The versions whose stored events do not say what they would say now."""
    known = {row["agent_version"] for row in workplace.warehouse.query(_KNOWN, [FEEDBACK, RATINGS])}
    return {version for version in known if not is_told(workplace, version, human_evaluations(workplace, version))}
