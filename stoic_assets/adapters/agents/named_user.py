"""The field `user` of a chat completion: not every server takes it, and OpenAI's only up to a length."""

import hashlib
import re
from enum import IntEnum

from stoic_assets.adapters.agents.unanswered import UnexpectedStatus
from stoic_assets.adapters.http.refusals import INVALID

USER_CHARS = 64
"""The longest that OpenAI takes."""
_NAMED = re.compile(
    r"""\bbody\.user\b|["'`]user["'`]|\b(?:argument|field|key|parameter|property)s?\b[^.]{0,40}\buser\b""",
    re.IGNORECASE,
)


class Naming(IntEnum):
    """The ways in which a request may name the user; each is tried after the one before it was refused.

    The whole name comes first, however long: an agent may store it, and assertions compare it with `$user`.
    """

    WHOLE = 0
    HASHED = 1
    """A name of more than `USER_CHARS` as its SHA-256, which has just as many."""
    NONE = 2


def named(user: str, naming: Naming) -> dict[str, str]:
    """The part of a request's body that names the user."""
    if naming == Naming.NONE:
        return {}
    is_hashed = naming == Naming.HASHED and len(user) > USER_CHARS
    return {"user": hashlib.sha256(user.encode()).hexdigest() if is_hashed else user}


def after_refusal(refusal: UnexpectedStatus, user: str, naming: Naming) -> Naming | None:
    """What to try next if a refusal may be about the user's name; None if it is not, or nothing is left."""
    error = refusal.error
    about_user = error.param == "user" or _NAMED.search(error.words)
    if error.status not in INVALID or not about_user or naming == Naming.NONE:
        return None
    return Naming.HASHED if naming == Naming.WHOLE and len(user) > USER_CHARS else Naming.NONE
