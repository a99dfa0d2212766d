"""Names for a reader: the order in which people look for them, and what a message adds about one that is not known."""

import re
from collections.abc import Collection
from difflib import get_close_matches

from stoic_assets.core.presentation.formatting import listed

SHOWN = 8
"""How many names a message lists at most."""


def instead_of(name: str, known: Collection[str]) -> str:
    """The advice on a wrong name: `did you mean chat? known: chat, other`, `known: a, b and 30 more`, `known: none`.

    A longer form comes first: marcus@1.0 is more likely short for marcus@1.0.0 than a slip for marcus@1.1.0.
    """
    longer = [each for each in known if each.startswith(name)]
    close = get_close_matches(name, longer, n=1) or get_close_matches(name, known, n=1)
    meant = [f"did you mean {close[0]}?"] if close else []
    listing = [] if len(known) == len(close) == 1 else [known_names(known)]
    return " ".join([*meant, *listing])


def known_names(known: Collection[str]) -> str:
    """The list of names that would be right: `known: chat, other`, `known: a, b and 30 more`, `known: none`."""
    return f"known: {listed(sorted(known, key=natural), SHOWN) or 'none'}"


_NUMBER = re.compile("[0-9]+")


def natural(name: str) -> str:
    """A key for the natural order of names, in which `s2` comes before `s10`; no two names have the same."""
    return f"{_NUMBER.sub(lambda number: number[0].zfill(20), name)}\0{name}"
