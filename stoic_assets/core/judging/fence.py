"""Hostile text on its way to a judge: cleaned, bounded, and put between markers that it cannot forge.

Every recorded line is marked with `| `, so that a text cannot pose as another speaker or as the end of the record; the
markers contain a random token, so that they cannot be known beforehand. `exhibit` decides what a block contains.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from stoic_assets.core.calls.chat import MESSAGE_CHARS, without_middle
from stoic_assets.core.text.clean_text import clean

TOTAL_CHARS = 60_000
"""All blocks together; the longest blocks are shortened first."""
MOST_BLOCKS = 200
"""If there are more blocks, this many are shown: a quarter of them from the start, the rest from the end."""


@dataclass(frozen=True)
class Block:
    """One part of the record: a heading by Stoic Eval and a text by user or agent."""

    heading: str
    text: str


@dataclass(frozen=True)
class Record:
    """What a judge is shown, and what its quotes are checked against."""

    blocks: tuple[Block, ...]

    @cached_property
    def text(self) -> str:
        """Its lines, without a fence."""
        return recorded(self.blocks)


def opening(token: str) -> str:
    """The line before the record."""
    return f"<<<RECORD {token}>>>"


def closing(token: str) -> str:
    """The line after the record."""
    return f"<<<END OF RECORD {token}>>>"


def fenced(record: str, token: str) -> str:
    """The record between its markers."""
    return f"{opening(token)}\n{record}{closing(token)}"


def recorded(blocks: Sequence[Block]) -> str:
    """The lines of the record; the texts are cleaned here."""
    cleaned = [Block(block.heading, clean(block.text)) for block in blocks]
    shown = min(len(cleaned), MOST_BLOCKS)
    head, tail = (cleaned, []) if shown == len(cleaned) else (cleaned[: shown // 4], cleaned[-(shown - shown // 4) :])
    limit = fair_limit([len(block.text) for block in (*head, *tail)], TOTAL_CHARS, MESSAGE_CHARS)
    gap = [f"[{len(cleaned) - shown} messages left out]"] if tail else []
    lines = [*(_marked(block, limit) for block in head), *gap, *(_marked(block, limit) for block in tail)]
    return "".join(f"{line}\n" for line in lines)


def fair_limit(lengths: Sequence[int], total: int, most: int) -> int:
    """The greatest limit, at most `most`, at which the lengths, cut to it, sum to no more than `total`."""
    left = total
    for rank, length in enumerate(sorted(lengths)):
        share = left // (len(lengths) - rank)
        if min(length, most) > share:
            return share
        left -= min(length, most)
    return most


def _marked(block: Block, limit: int) -> str:
    """A block with its heading and every line of its text marked; a text beyond the limit loses its middle."""
    if len(block.text) <= limit:
        return f"[{block.heading}]\n{_quoted(block.text)}"
    head, note, tail = without_middle(block.text, limit)
    return "\n".join([f"[{block.heading}]", _quoted(head), note, _quoted(tail)])


def _quoted(text: str) -> str:
    """Every line behind a `| `."""
    return "\n".join(f"| {line}" for line in text.split("\n"))
