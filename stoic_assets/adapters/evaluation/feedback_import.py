"""Imports what people found, and tells the services that listen."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from stoic_assets.adapters.evaluation.publishing import publish_feedback
from stoic_assets.adapters.messages.outbox import Delivered
from stoic_assets.adapters.ratings.feedback_files import FeedbackRows, feedback_models, read_feedback, store
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.feedback.human_evaluation import FEEDBACK, RATINGS

_UNTOLD = """
    with
        found as (select agent_version, evaluation_id, max(evaluated_at) as changed_at
                  from human_feedback_evaluations group by all),
        told as (select agent_version, evaluation_id, max(evaluated_at) as told_at
                 from events where evaluation_id in (?, ?) group by all)
    select distinct agent_version from found full join told using (agent_version, evaluation_id)
    where told_at is null or changed_at is null or told_at < changed_at
"""


@dataclass(frozen=True)
class FeedbackImport:
    """What people found, the versions for which that changed, and how the delivery of their events went."""

    feedback: FeedbackRows
    versions: list[str]
    deliveries: list[Delivered]


async def import_feedback(workplace: Workplace) -> FeedbackImport:
    """Brings `human_feedback_evaluations` up to date with feedback files and ratings, and publishes what changed.

    It also publishes what changed in an earlier call that was cut off before it could.
    It waits, and says so, while another process imports. Raises `StorageError`, and `ConfigurationError` as
    `read_feedback`.
    """
    async with _in_turn(workplace):
        feedback = await read_feedback(workplace, feedback_models(workplace))
        versions = sorted({version for version, _ in store(workplace, feedback)})
        untold = sorted({*versions, *_untold(workplace)})
        deliveries = [await publish_feedback(workplace, version) for version in untold]
    return FeedbackImport(feedback, versions, deliveries)


def _untold(workplace: Workplace) -> set[str]:
    """The versions of which something changed before a kill or a full disk kept its events from being stored."""
    return {row["agent_version"] for row in workplace.warehouse.query(_UNTOLD, [FEEDBACK, RATINGS])}


def _in_turn(workplace: Workplace) -> AbstractAsyncContextManager[None]:
    """Lets one import at a time read the folder and store its rows and events; a model may be asked for minutes.

    Of two at once, the one that stored last would remove the rows and events of files that it had not seen, and both
    would pay for the same dialogues.
    """
    line = "another process imports what people found; this waits for that"
    return workplace.in_turn("feedback", line)
