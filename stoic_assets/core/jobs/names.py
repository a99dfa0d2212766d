"""The name of what a trial plays, which is also what counts as one observation: a job, or one scenario of it."""

from collections.abc import Mapping
from typing import Any


def played(job: str, scenario: str | None) -> str:
    """The name of a job without scenarios, or of one scenario of a job."""
    # Names may hold dots but no tilde, so that no two trials share an id.
    return f"{job}~{scenario}" if scenario else job


def job_key(row: Mapping[str, Any]) -> str:
    """What a row with columns `job` and `scenario` is about, as `played` names it."""
    return played(row["job"], row.get("scenario"))


def job_of(name: str) -> str:
    """The job that something `played` is, or belongs to."""
    return name.partition("~")[0]
