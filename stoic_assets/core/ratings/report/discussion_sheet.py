"""The sheet that raters go through together: the items they disagree on, as Markdown to print or to share.

Texts of users and agents are escaped, so that no reply can become a heading or a link.
"""

from collections.abc import Iterator, Sequence

from stoic_assets.core.presentation.formatting import plural
from stoic_assets.core.presentation.markdown import bulleted, plain
from stoic_assets.core.ratings.analysis import RatingAnalysis
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.report.item_findings import (
    ItemFinding,
    RaterMarks,
    disagreements,
    item_findings,
    item_marks,
)
from stoic_assets.core.ratings.rubric import DIMENSIONS
from stoic_assets.core.text.foreign_text import visible

MOST_ITEMS = 20
"""A meeting cannot discuss more."""

_INTRODUCTION = """# Discussion sheet

Items on which two marks differ by three or more, or on which one rater said yes and another no; the greatest
disagreement first. Talk about what each of you saw, not about who is right. What is agreed sharpens the criteria; the
ratings given stay as they are.
"""


def discussion_sheet(analysis: RatingAnalysis, most: int = MOST_ITEMS) -> str:
    """The sheet for the `most` items with the greatest disagreement."""
    queue = disagreements(item_findings(analysis.table))
    parts = [_INTRODUCTION, f"Page: {plain(analysis.study.page_id)}\n"]
    parts += ["\n".join(_item(number, found, analysis)) for number, found in enumerate(queue[:most], 1)]
    if len(queue) > most:
        left = len(queue) - most
        parts.append(f"{plural(left, 'more item')} {'is' if left == 1 else 'are'} split.\n")
    return "\n".join(parts if queue else [*parts, "There is none: no item is split.\n"])


def _item(number: int, found: ItemFinding, analysis: RatingAnalysis) -> Iterator[str]:
    yield f"## {number}. {plain(found.test_id)}\n"
    yield f"Split on: {', '.join(name.replace('_', ' ') for name in found.split)}. Mean {found.mean:.1f}.\n"
    yield from _texts(analysis.items.get(found.test_id, RatedItem()))
    yield from _marks(item_marks(found.test_id, analysis))
    yield "\nWhat did each of you see? What should the criteria say?\n\n\n"


def _texts(item: RatedItem) -> Iterator[str]:
    for who, text in (("User", item.input), ("Agent", item.reply)):
        if text:
            yield f"{who}:\n"
            yield "\n".join(f"> {plain(line)}" for line in visible(text).splitlines()) + "\n"


def _marks(given: Sequence[RaterMarks]) -> Iterator[str]:
    yield "| rater | " + " | ".join(dimension.title for dimension in DIMENSIONS) + " | overall |"
    yield "| --- " * (len(DIMENSIONS) + 2) + "|"
    for one in given:
        marks = " | ".join("–" if mark is None else str(mark) for mark in one.marks)
        yield f"| {plain(one.rater)} | {marks} | {one.overall or '–'} |"
    yield ""
    yield bulleted((f"{one.rater}: {one.comment}" for one in given if one.comment), _in_lines)


def _in_lines(text: str) -> str:
    """A text of several lines inside an item of a list: two blanks end a line, and the next is indented."""
    return "  \n  ".join(plain(line) for line in visible(text).splitlines() if line.strip())
