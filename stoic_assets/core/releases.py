"""Agent versions and release manifests: `agent@version` is a partition key, a folder name and an id at once."""

import re
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from stoic_assets.core.documents import CamelDocument
from stoic_assets.core.errors import ConfigurationError

_PART = r"[A-Za-z0-9_.+-]+"
_KEY = re.compile(rf"{_PART}@{_PART}")


def check_agent_version(key: str) -> str:
    """`key` itself. Raises `ConfigurationError` unless it reads `agent@version`."""
    if not _KEY.fullmatch(key):
        raise ConfigurationError(
            f"{key!r} is no agent version: write agent@version with letters, digits and _ . + - (marcus@1.1.0)"
        )
    return key


def agent_of(key: str) -> str:
    """The agent of `agent@version`."""
    return key.partition("@")[0]


def _moment(text: str) -> str:
    datetime.fromisoformat(text)
    return text


class Release(CamelDocument):
    """One file in `releases/`: a version of an agent that can be evaluated."""

    agent: str = Field(pattern=rf"^{_PART}$")
    version: str = Field(pattern=rf"^{_PART}$")
    url: str | None = None
    protocol: Literal["embabel", "openai"] | None = None
    model: str | None = None
    released_at: Annotated[str, AfterValidator(_moment)] | None = Field(None, description="ISO 8601; UTC if no zone")
    parents: tuple[str, ...] = Field((), description="versions of the same agent that this one came from")
    jobs: tuple[str, ...] = Field((), description="names of the jobs to run; default: all")
    notes: str | None = None

    @property
    def agent_version(self) -> str:
        """The partition key."""
        return f"{self.agent}@{self.version}"
