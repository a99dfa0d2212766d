"""Agent versions and release manifests: `agent@version` is a partition key, a folder name and an id at once."""

import re
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.moments import checked_moment
from stoic_assets.core.text.documents import CamelDocument, misplaced

_CHARACTERS = "A-Za-z0-9_.+-"
_PART = rf"[{_CHARACTERS}]+"
_KEY = re.compile(rf"{_PART}@{_PART}")
LONGEST = 240
"""Characters of an agent version. A file's name may have 255, and `agent_version=` or the end of a draft is added."""

ALL_VERSIONS = "all@all"
"""The agent version under which tables that belong to no version are stored."""


def is_agent_version(key: str) -> bool:
    """Whether it reads `agent@version`, and is short enough to name a folder."""
    return _KEY.fullmatch(key) is not None and len(key) <= LONGEST


def check_agent_version(key: str) -> str:
    """`key` itself. Raises `ConfigurationError` unless it reads `agent@version` and is short enough."""
    if len(key) > LONGEST:
        raise ConfigurationError(f"an agent version has at most {LONGEST} characters, not {len(key)}: {key[:40]}...")
    if not is_agent_version(key):
        misfit = re.search(rf"[^@{_CHARACTERS}]", key)
        raise ConfigurationError(
            f"{key!r} is not an agent version: write agent@version (marcus@1.1.0) with a–z and A–Z without accents, "
            f"0–9 and _ . + -{f', and without {misfit[0]!r}' if misfit else ''}"
        )
    return key


def agent_of(key: str) -> str:
    """The agent of `agent@version`."""
    return key.partition("@")[0]


def _moment(text: str) -> str:
    moment = datetime.fromisoformat(checked_moment(text))
    return text if moment.tzinfo else moment.replace(tzinfo=UTC).isoformat()


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

    @field_validator("version")
    @classmethod
    def names_a_folder(cls, version: str, info: ValidationInfo) -> str:
        """Together with the agent."""
        if len(info.data.get("agent", "")) + 1 + len(version) > LONGEST:
            raise ValueError(f"agent and version have at most {LONGEST - 1} characters together")
        return version

    @field_validator("parents")
    @classmethod
    def are_versions_of_this_agent(cls, parents: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        """Each as a bare version; `agent@version` is accepted."""
        agent = info.data.get("agent", "")
        versions = tuple(parent.removeprefix(f"{agent}@") for parent in parents)
        for number, version in enumerate(versions):
            if not re.fullmatch(_PART, version):
                raise misplaced(f"{version!r} is not a version of {agent}: name one, such as 1.0.0", number)
            if version == info.data.get("version"):
                raise misplaced(f"{version!r} is this version itself: name the one that it came from", number)
        return versions

    @property
    def agent_version(self) -> str:
        """The partition key."""
        return f"{self.agent}@{self.version}"

    @property
    def parent_versions(self) -> tuple[str, ...]:
        """The parents as `agent@version`."""
        return tuple(f"{self.agent}@{parent}" for parent in self.parents)
