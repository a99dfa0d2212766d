"""What judges quote from the transcript, and whether it was said."""

from collections.abc import Iterable
from dataclasses import dataclass

from stoic_assets.core.judging.grounding import occurs
from stoic_assets.core.judging.question import WITH_ACTIONS
from stoic_assets.core.text.clean_text import searchable


@dataclass(frozen=True)
class Quote:
    """A quote in a verdict; `said` is whether it occurs in what the judge was shown."""

    text: str
    said: bool


class SearchableRecord:
    """The messages of one trial and the function calls of each turn, prepared for comparison with quotes.

    As in the judge's record, the calls of a turn are one text: a quote may span several of them.
    """

    def __init__(self, messages: Iterable[str], calls: Iterable[Iterable[str]]) -> None:
        self._messages = [searchable(text) for text in messages]
        self._calls = [searchable("\n".join(of_turn)) for of_turn in calls]

    def quote(self, text: str, virtue: str) -> Quote | None:
        """A quote of a verdict on `virtue`; None for a blank one."""
        if not text.strip():
            return None
        shown = self._messages + (self._calls if virtue in WITH_ACTIONS else [])
        return Quote(text, occurs(text, shown))

    def quotes(self, texts: Iterable[str], virtue: str) -> list[Quote]:
        """The quotes that are not blank."""
        return [quote for text in texts if (quote := self.quote(text, virtue))]
