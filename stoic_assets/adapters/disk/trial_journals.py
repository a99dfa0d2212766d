"""The journal of an evaluation, to which its trials write.

All trials share one journal, so that one sync of the disk serves many, and an entry that depends on a model's reply is
stored after the cost of that reply. A line begins with `trial` or with `call`.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from stoic_assets.adapters.disk.json_lines import JsonLines, read_lines
from stoic_assets.core.conversation.journal import Entry
from stoic_assets.core.grouping import grouped

_SMALL = 2000
"""Characters that are redacted faster than another thread is asked: events of 1 KB take 0.25 ms, the thread 0.2 ms."""


class Journals:
    """The journals of all trials of an evaluation."""

    def __init__(self, file: Path, clean: Callable[[Any], Any]) -> None:
        self._file, self._lines, self._clean = file, JsonLines(file), clean
        self._aside = ThreadPoolExecutor(1)

    def of(self, trial_id: str) -> "TrialJournal":
        """The journal of one trial."""
        return TrialJournal(self, trial_id)

    @cached_property
    def kept(self) -> dict[str, list[Entry]]:
        """The entries of each trial at the time of the first access."""
        return grouped((line.pop("trial"), line) for line in read_lines(self._file, "trial"))

    async def append(self, trial_id: str, entry: Entry) -> None:
        """Adds an entry, redacted; returns when it would survive a power cut. Raises `StorageError`."""
        own = dict(entry)
        clean = await self._cleaned_aside(own) if _is_large(own) else self._clean(own)
        await self._lines.append({"trial": trial_id, **clean})

    def close(self) -> None:
        """Ends the thread of the journals once it has nothing left to do."""
        self._aside.shutdown(wait=False)

    async def _cleaned_aside(self, entry: Entry) -> Any:
        # An object context of 5 MB takes over a second, events of 40 KB take 11 to 25 ms: in the loop's thread the
        # replies that other conversations wait for would seem as much slower. One thread is enough, since only one can
        # compute at a time, and it is no thread that syncs of the disk or name look-ups wait for.
        return await asyncio.get_running_loop().run_in_executor(self._aside, self._clean, entry)


def _is_large(entry: Entry) -> bool:
    return entry["kind"] == "ended" or len(str(entry)) > _SMALL


@dataclass(frozen=True)
class TrialJournal:
    """The journal entries of one trial."""

    journals: Journals
    trial_id: str

    def entries(self) -> list[Entry]:
        """The entries from earlier runs."""
        return self.journals.kept.get(self.trial_id, [])

    async def append(self, entry: Entry) -> None:
        """Adds one entry."""
        await self.journals.append(self.trial_id, entry)
