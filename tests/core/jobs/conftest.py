"""Jobs from a few keys of the job file."""

from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.jobs.job import Job
from stoic_assets.core.text.documents import parse_document

MINIMUM = "target: {user: u, chatbot: c}\ntasks: [{task: Ask the time, acceptanceCriteria: The time is told}]\n"


@pytest.fixture
def read_job() -> Callable[[str], Job]:
    """The job of a job file that holds the bare minimum (lines 1 and 2) and what the test adds (from line 3)."""
    return lambda text: parse_document(MINIMUM + text, Job, "job.yml")


@pytest.fixture
def make_job() -> Callable[..., Job]:
    """A named job; keys of the job file as keyword arguments."""

    def make(name: str = "job", **keys: Any) -> Job:
        target = {"user": keys.pop("user", "u"), "chatbot": "c"}
        tasks = [{"task": "Ask the time", "acceptanceCriteria": "The time is told"}]
        return Job.model_validate(
            {"name": name, "target": target, **({} if "scenarios" in keys else {"tasks": tasks}), **keys}
        )

    return make
