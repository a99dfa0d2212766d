"""The id of an evaluation: it names files and folders, and is a tag of its runs."""

import re

from stoic_assets.core.errors import ConfigurationError

EvaluationKey = tuple[str, str]
"""Agent version and evaluation id."""
EVALUATION_TAG = "stoic/evaluation_id"
_LONGEST = 200
"""Characters of an evaluation id. A file's name may have 255, and up to 16 are added (`.weak-virtues.md`)."""


def check_evaluation_id(evaluation_id: str) -> str:
    """`evaluation_id` itself. Raises `ConfigurationError` unless it can name files and folders."""
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", evaluation_id):
        raise ConfigurationError(
            f"{evaluation_id!r} is not an evaluation id: use letters, digits and _ . - only, not beginning with a dot; "
            "`stoic list` shows the ids"
        )
    if len(evaluation_id) > _LONGEST:
        length = f"at most {_LONGEST} characters, not {len(evaluation_id)}"
        raise ConfigurationError(f"an evaluation id has {length}: {evaluation_id[:40]}...")
    return evaluation_id
