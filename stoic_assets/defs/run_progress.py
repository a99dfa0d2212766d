"""How far a run is, in its log: conversations and judges take minutes in which Dagster itself has nothing to say."""

import time
from collections.abc import Callable
from typing import Any

from stoic_assets.core.progress import Unwatched

EVERY_SECONDS = 15.0
"""Each line is a row in Dagster's database, and one for each trial of thousands would hide all others."""


class LoggedProgress(Unwatched):
    """Writes how many steps of a stage are done, now and then and at its end, and what is worth knowing."""

    def __init__(self, log: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._log, self._clock = log, clock
        self._done: dict[str, int] = {}
        self._total: dict[str, int] = {}
        self._told = clock()
        self._clean: Callable[[Any], Any] = lambda data: data

    def clean_by(self, clean: Callable[[Any], Any]) -> None:
        """Writes messages without what `clean` takes for secrets."""
        self._clean = clean

    def begin(self, stage: str, total: int) -> None:
        """A stage of `total` steps starts."""
        self._done[stage], self._total[stage] = 0, total
        self._log(f"{stage}: {total}")

    def advance(self, stage: str) -> None:
        """One step of a stage is done."""
        self._done[stage] += 1
        if self._clock() - self._told >= EVERY_SECONDS or self._done[stage] == self._total[stage]:
            self._told = self._clock()
            self._log(f"{stage}: {self._done[stage]} of {self._total[stage]} done")

    def note(self, message: str) -> None:
        """Writes something worth knowing that is not a result."""
        self._log(self._clean(message))
