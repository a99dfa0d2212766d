"""The journal of an evaluation, to which its trials write.

All trials share one journal, so that one sync of the disk serves many, and an entry that depends on a model's reply is
stored after the cost of that reply. A line begins with `trial` or with `call`.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from stoic_assets.adapters.disk.json_lines import JsonLines, read_lines
from stoic_assets.core.conversation.journal import Entry


class Journals:
    """The journals of all trials of an evaluation."""

    def __init__(self, file: Path, clean: Callable[[Any], Any]) -> None:
        self._file, self._lines, self._clean = file, JsonLines(file), clean

    def of(self, trial_id: str) -> "TrialJournal":
        """The journal of one trial."""
        return TrialJournal(self, trial_id)

    @cached_property
    def kept(self) -> dict[str, list[Entry]]:
        """The entries of each trial at the time of the first access."""
        found: dict[str, list[Entry]] = defaultdict(list)
        for line in read_lines(self._file, "trial"):
            found[line.pop("trial")].append(line)
        return found

    async def append(self, trial_id: str, entry: Entry) -> None:
        """Adds an entry, redacted; returns when it would survive a power cut. Raises `StorageError`."""
        # With an object context of 5 MB the last entry of a trial takes over a second to redact, in which nobody else's
        # conversation would go on. Every other entry is written before anything is awaited: a trial that times out
        # while one is stored goes on to write the next.
        last = entry["kind"] == "ended"
        clean = await asyncio.to_thread(self._clean, dict(entry)) if last else self._clean(dict(entry))
        await self._lines.append({"trial": trial_id, **clean})


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
