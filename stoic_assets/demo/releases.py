"""The releases of the demo agent: all that differs between them is defined here.

1.0.0 does what it says. 1.1.0 has the regression that an evaluation must catch: a dry-run switch was left on, so that
its reminders are announced and never written, and its advice has become harsh.
"""

from dataclasses import dataclass
from typing import Literal

from stoic_assets.core.errors import ConfigurationError

Voice = Literal["measured", "harsh"]


@dataclass(frozen=True)
class Release:
    """One release: the voice of its advice, and the functions that it announces without carrying them out."""

    version: str
    voice: Voice
    system_prompt: str
    dry_run: frozenset[str] = frozenset()


_DUTY = "You are Marcus, a mentor in the Stoic manner who also keeps the user's reminders and notes."

RELEASES = {
    release.version: release
    for release in (
        Release(
            "1.0.0",
            "measured",
            f"{_DUTY} Be accurate, say what you do not know, weigh both sides, and fit the answer to the person.",
        ),
        Release(
            "1.1.0",
            "harsh",
            f"{_DUTY} Be blunt and brief. Do not hedge and do not comfort.",
            dry_run=frozenset({"createReminder", "updateReminder", "cancelReminder"}),
        ),
    )
}


def release_named(version: str) -> Release:
    """The release with this version. Raises `ConfigurationError`, which names those there are."""
    if version not in RELEASES:
        raise ConfigurationError(f"the demo agent has no release {version!r}; choose one of {', '.join(RELEASES)}")
    return RELEASES[version]
