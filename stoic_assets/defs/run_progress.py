"""How far a run is, in its log: conversations and judges take minutes in which Dagster itself has nothing to say."""

import time
from collections.abc import Callable

from stoic_assets.core.progress import StageLines, Unwatched


class LoggedProgress(Unwatched):
    """Writes how many trials of a stage are done, now and then and at its end, and what is worth knowing."""

    def __init__(self, log: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._log, self._stages = log, StageLines(log, clock)

    def begin(self, stage: str, total: int) -> None:
        """A stage of `total` trials starts."""
        self._stages.begin(stage, total)

    def advance(self, stage: str) -> None:
        """One trial of a stage is done."""
        self._stages.advance(stage)

    def note(self, message: str) -> None:
        """Writes something worth knowing that is not a result."""
        self._log(self._clean(message))
