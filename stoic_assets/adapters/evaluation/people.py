"""Takes in what people found, and tells the services that listen."""

from dataclasses import dataclass

from stoic_assets.adapters.evaluation.publishing import publish_feedback
from stoic_assets.adapters.messages.outbox import Delivered
from stoic_assets.adapters.ratings.feedback_files import TakenIn, feedback_model, store, take_in
from stoic_assets.adapters.workplace import Workplace


@dataclass(frozen=True)
class Heard:
    """Everything that people found, the versions for which it changed, and how the delivery of their events went."""

    taken: TakenIn
    versions: list[str]
    deliveries: list[Delivered]


async def hear_people(workplace: Workplace) -> Heard:
    """Brings `human_feedback_evaluations` up to date with feedback files and ratings, and publishes what changed.

    Raises `ConfigurationError` as `take_in`.
    """
    taken = await take_in(workplace, feedback_model(workplace))
    versions = sorted({version for version, _ in store(workplace, taken)})
    return Heard(taken, versions, [await publish_feedback(workplace, version) for version in versions])
