"""What a rating page shows of replies, and the keys that lead back to them.

An id on a page is random and reveals nothing. The same item, rated by the same rubric, keeps its id for good, so a page
that is built again from the same replies is the same page, and raters can continue their work on it.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from stoic_assets.core.ratings.rated_item import words_to_read
from stoic_assets.core.ratings.rubric import rubric_version
from stoic_assets.core.ratings.training import ATTENTION, PRACTICE, TrainingItem
from stoic_assets.core.text.foreign_text import visible

REPEATS = 5
ENOUGH_FOR_REPEATS = 20
"""Number of replies from which on some are shown twice; among fewer, a rater would remember the first time."""


@dataclass(frozen=True)
class Reply:
    """What an agent said to one person, and where the warehouse stores it."""

    agent_version: str
    evaluation_id: str
    trial_id: str
    input: str
    reply: str


class Key(BaseModel, frozen=True):
    """The item behind an id. Raters must not see it.

    `origin` is what the id was drawn for, `rubric` the version of the rubric by which it is rated. `repeat_of` is the
    id under which the same reply was shown the first time. `attention` holds the answers that an attention item asks
    for, by question; it is empty for any other item.
    """

    origin: str
    rubric: str
    page_id: str = ""
    agent_version: str | None = None
    evaluation_id: str | None = None
    trial_id: str | None = None
    repeat_of: str | None = None
    practice: bool = False
    attention: dict[str, int | str] = {}
    words: int

    def forgotten(self, test_id: str) -> "Key":
        """The key of the hidden repeat `test_id` of a reply that nobody should be able to find any more."""
        return Key(origin=f"forgotten {test_id}", rubric=self.rubric, repeat_of=self.repeat_of, words=0)


Keys = Mapping[str, Key]
"""Keys by test id."""


@dataclass(frozen=True)
class PageItem:
    """An exchange to rate. Where the agent said nothing, not even a letter, `reply` is empty, and the page says so."""

    test_id: str
    input: str
    reply: str


@dataclass(frozen=True)
class PracticeItem:
    """An exchange to practise on."""

    test_id: str
    item: TrainingItem


@dataclass(frozen=True)
class BlindPage:
    """All that a page shows, and its keys, which are stored separately. The order of `items` has no meaning."""

    page_id: str
    items: tuple[PageItem, ...]
    practice: tuple[PracticeItem, ...]
    keys: dict[str, Key]


def blind(replies: Sequence[Reply], known: Keys, draw: Callable[[], str]) -> BlindPage:
    """Gives every reply an id, adds hidden repeats and attention items, and the practice.

    `known` are the keys of former pages; `draw` gives a new random id.
    """
    desk = _Desk(known, draw)
    items = [desk.reply(reply) for reply in replies]
    items += [desk.repeat(items[n], replies[n]) for n in _repeated(items)]
    items += [PageItem(desk.training("attention", item), item.input, item.reply) for item in ATTENTION]
    practice = tuple(PracticeItem(desk.training("practice", item), item) for item in PRACTICE)
    page_id = _digest(*sorted(desk.keys))[:12]
    keys = {test_id: key.model_copy(update={"page_id": page_id}) for test_id, key in desk.keys.items()}
    return BlindPage(page_id, tuple(sorted(items, key=lambda item: item.test_id)), practice, keys)


def _repeated(items: Sequence[PageItem]) -> list[int]:
    """The positions of the items that are shown twice, chosen at random by their ids."""
    if len(items) < ENOUGH_FOR_REPEATS:
        return []
    return sorted(range(len(items)), key=lambda n: items[n].test_id)[:REPEATS]


class _Desk:
    """Hands out ids and notes the keys."""

    def __init__(self, known: Keys, draw: Callable[[], str]) -> None:
        self.keys: dict[str, Key] = {}
        self._rubric = rubric_version()
        self._ids = {key.origin: test_id for test_id, key in known.items() if key.rubric == self._rubric}
        self._draw = draw

    def reply(self, reply: Reply) -> PageItem:
        """A reply under its id."""
        test_id = self._note(self._key("reply", reply))
        return PageItem(test_id, visible(reply.input), visible(reply.reply if reply.reply.strip() else ""))

    def repeat(self, first: PageItem, reply: Reply) -> PageItem:
        """The same reply again under another id."""
        test_id = self._note(self._key("repeat", reply).model_copy(update={"repeat_of": first.test_id}))
        return PageItem(test_id, first.input, first.reply)

    def training(self, kind: str, item: TrainingItem) -> str:
        """The id of an item that is not an agent's."""
        marks = {name: mark for name, mark in item.marks.items() if mark is not None}
        asked: dict[str, int | str] = {**marks, "overall": item.overall} if kind == "attention" else {}
        origin = f"{kind} {_digest(item.input, item.reply)[:12]}"
        words = words_to_read(item.input, item.reply)
        is_practice = kind == "practice"
        return self._note(
            Key(origin=origin, rubric=self._rubric, practice=is_practice, attention=asked, words=words)
        )

    def _key(self, kind: str, reply: Reply) -> Key:
        place = (reply.agent_version, reply.evaluation_id, reply.trial_id)
        return Key(
            origin=" ".join((kind, *place)), rubric=self._rubric, agent_version=place[0], evaluation_id=place[1],
            trial_id=place[2], words=words_to_read(reply.input, reply.reply),
        )

    def _note(self, key: Key) -> str:
        test_id = self._ids.get(key.origin) or self._draw()
        self.keys[test_id] = key
        return test_id


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()
