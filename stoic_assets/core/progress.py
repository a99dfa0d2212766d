"""What long work reports its progress to, and that progress as lines of text."""

from collections.abc import Callable
from typing import Any

from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.jobs.trial import Trial
from stoic_assets.core.presentation.formatting import plural

EVERY_SECONDS = 15.0
"""A line for each of thousands of trials would hide all others; in Dagster's database each is a row, too."""


class StageLines:
    """Tells how many trials of a stage there are, how many are done now and then, and its end.

    `clock` counts seconds and only runs forward.
    """

    def __init__(self, tell: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._tell, self._clock, self._told = tell, clock, clock()
        self._done: dict[str, int] = {}
        self._total: dict[str, int] = {}

    def begin(self, stage: str, total: int) -> None:
        """A stage of `total` trials starts."""
        self._done[stage], self._total[stage] = 0, total
        self._tell(f"{stage}: {plural(total, 'trial')}")

    def advance(self, stage: str) -> None:
        """One trial of a stage is done."""
        self._done[stage] += 1
        if self._clock() - self._told >= EVERY_SECONDS or self._done[stage] == self._total[stage]:
            self._told = self._clock()
            self._tell(f"{stage}: {self._done[stage]} of {plural(self._total[stage], 'trial')} done")


class Progress:
    """Shows nothing. Observers have from it what they ignore, and `_clean`, which blanks secrets in what they show.

    `total` counts the trials of a stage.
    """

    _clean: Callable[[Any], Any] = staticmethod(lambda data: data)

    def clean_by(self, clean: Callable[[Any], Any]) -> None:
        """Sets how secrets are blanked."""
        self._clean = clean

    def begin(self, stage: str, total: int) -> None:
        """Ignored."""

    def advance(self, stage: str) -> None:
        """Ignored."""

    def turn(self, trial: Trial, turn: Turn) -> None:
        """Ignored."""

    def query(self, trial: Trial, cypher: str) -> None:
        """Ignored."""

    def note(self, message: str) -> None:
        """Ignored."""
