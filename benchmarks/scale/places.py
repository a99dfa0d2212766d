"""The evaluations of a long history. Imports nothing heavy, so that only the product itself is measured."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

BEGAN = datetime(2020, 1, 1, tzinfo=UTC)
ALWAYS_OWN = 1000
"""So many evaluations, the oldest, are never links to others: all their rows have their own ids."""


class Place(NamedTuple):
    """One evaluation."""

    agent_version: str
    evaluation_id: str
    started_at: datetime


@dataclass(frozen=True)
class History:
    """The size of a history: so many evaluations, `per_version` of them of one agent version."""

    evaluations: int = 1000
    per_version: int = 20

    def places(self) -> Iterator[Place]:
        """Every evaluation, in the order of time."""
        chance = random.Random(5)
        for number in range(self.evaluations):
            version = f"marcus@1.{number // self.per_version}.0"
            yield Place(version, str(chance.randbytes(16).hex()), BEGAN + timedelta(hours=number))
