"""The port through which long work reports its progress."""

from collections.abc import Callable
from typing import Any, Protocol

from stoic_assets.core.conversation.evidence import Trial, Turn


class Progress(Protocol):
    """An observer. `total` counts the steps of a stage; `clean_by` sets how secrets in messages are blanked."""

    def clean_by(self, clean: Callable[[Any], Any]) -> None: ...

    def begin(self, stage: str, total: int) -> None: ...

    def advance(self, stage: str) -> None: ...

    def turn(self, trial: Trial, turn: Turn) -> None: ...

    def query(self, trial: Trial, cypher: str) -> None: ...

    def note(self, message: str) -> None: ...


class Unwatched:
    """No observer."""

    def clean_by(self, clean: Callable[[Any], Any]) -> None:
        """Ignored."""

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
