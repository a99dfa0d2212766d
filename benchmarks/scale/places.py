"""Which evaluations a long history holds. Imports nothing heavy, so that what is measured is the product's own."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

BEGAN = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class History:
    """How much there is: `versions` × `per_version` evaluations."""

    versions: int = 50
    per_version: int = 20

    def places(self) -> Iterator[tuple[str, str, datetime]]:
        """Agent version, evaluation and its start, in the order of time."""
        chance = random.Random(5)
        for number in range(self.versions * self.per_version):
            version = f"marcus@1.{number // self.per_version}.0"
            yield version, str(chance.randbytes(16).hex()), BEGAN + timedelta(hours=number)
