"""The rating page: one HTML file that needs nothing else, sends nothing anywhere and works from a disk or on a phone.

Replies are data in a JSON block and reach the reader only as text. The policy in the head allows the page's own style
and script by their hashes, and no request at all.
"""

import json
from functools import cache
from typing import Any

from markupsafe import Markup

from stoic_assets.core.presentation.page_environment import PageEnvironment
from stoic_assets.core.ratings.blinding import BlindPage
from stoic_assets.core.ratings.rated_item import words_to_read
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES, DIMENSIONS, LEVELS, OVERALL, OVERALL_QUESTION

ABOUT = "People wrote a message, and each got a reply."
"""What raters are told about the exchanges by default: true of any agent."""
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}


def build_page(page: BlindPage, about: str | None = None) -> str:
    """The page as one HTML document, to be written as UTF-8. It does not contain the keys of `page`.

    `about` says in whole sentences to whom people wrote; without it, the page says only what is true of any agent.
    """
    return _environment().get_template("page.html.jinja").render(
        dimensions=DIMENSIONS, levels=LEVELS, overall_question=OVERALL_QUESTION, overall=OVERALL,
        about=about or ABOUT, replies=len(page.items), practice=len(page.practice), data=_json_block(_data(page)),
    )


@cache
def _environment() -> PageEnvironment:
    return PageEnvironment("core/ratings/page")


def _data(page: BlindPage) -> dict[str, Any]:
    return {
        "page_id": page.page_id,
        "dimensions": [{"name": dimension.name, "title": dimension.title} for dimension in DIMENSIONS],
        "optional": [dimension.name for dimension in DIMENSIONS if dimension.not_applicable],
        "overall": [{"value": choice.value, "key": choice.key, "title": choice.title} for choice in OVERALL],
        "items": [_exchange(item.test_id, item.input, item.reply) for item in page.items],
        "practice": [
            {
                **_exchange(each.test_id, each.item.input, each.item.reply),
                "reference": {name: each.item.marks[name] for name in DIMENSION_NAMES} | {"overall": each.item.overall},
                "feedback": each.item.feedback,
            }
            for each in page.practice
        ],
    }


def _exchange(test_id: str, said: str, reply: str) -> dict[str, Any]:
    return {"test_id": test_id, "input": said, "reply": reply, "words": words_to_read(said, reply)}


def _json_block(data: dict[str, Any]) -> Markup:
    """JSON that cannot end the script element that contains it, nor begin another; it is pure ASCII."""
    return Markup(json.dumps(data, separators=(",", ":")).translate(_ESCAPES))  # noqa: S704
