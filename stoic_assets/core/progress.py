"""The port through which long work tells how far it is."""

from typing import Protocol

from stoic_assets.core.conversation.evidence import Trial, Turn


class Progress(Protocol):
    """Somebody who watches. `total` counts the steps of a stage."""

    def begin(self, stage: str, total: int) -> None: ...

    def advance(self, stage: str) -> None: ...

    def turn(self, trial: Trial, turn: Turn) -> None: ...

    def note(self, message: str) -> None: ...


class Unwatched:
    """Nobody watches."""

    def begin(self, stage: str, total: int) -> None:
        """Ignored."""

    def advance(self, stage: str) -> None:
        """Ignored."""

    def turn(self, trial: Trial, turn: Turn) -> None:
        """Ignored."""

    def note(self, message: str) -> None:
        """Ignored."""
