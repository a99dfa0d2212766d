"""What jobs have access to besides the agent's messages: environment variables, and files outside of the project.

Authors of jobs are trusted with both; a user who runs jobs written by others is told about them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from stoic_assets.adapters.agents.connect import KEY, header_variables
from stoic_assets.adapters.agents.knowledge_context import ADDRESS
from stoic_assets.adapters.disk.configuration_files import read_document
from stoic_assets.adapters.disk.job_files import own_prompts
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import FileSetup


def variables_sent(jobs: Iterable[Job], addresses: Mapping[str, str], env: Mapping[str, str]) -> dict[str, list[str]]:
    """The variables whose values are sent to an address in headers, by address; `addresses` are by job name.

    The knowledge service is sent the agent's key too.
    """
    sent: dict[str, set[str]] = defaultdict(set)
    key = {KEY} if env.get(KEY) else set()
    for job in jobs:
        sent[addresses[job.name]] |= key | header_variables(job.target)
    if knowledge := env.get(ADDRESS):
        sent[knowledge] |= key
    return {address: sorted(names) for address, names in sent.items() if names}


def files_outside(root: Path, files: Iterable[Path], jobs: Iterable[Job]) -> dict[str, list[Path]]:
    """The files outside of `root` that setups and prompts of these jobs are read from, by job name.

    `files` are the job files; they include those of `jobs`.
    """
    names = {job.name for job in jobs}
    outside: dict[str, list[Path]] = {}
    for file in files:
        with suppress(ConfigurationError):  # only files that belong to none of the jobs raise it
            job = read_document(file, Job)
            far = [each for each in _read_for(job, file) if not each.is_relative_to(root.resolve())]
            if far and (name := job.name or file.stem) in names:
                outside[name] = far
    return outside


def _read_for(job: Job, file: Path) -> Sequence[Path]:
    """The files that the job in `file` names, once each."""

    def named() -> Iterator[str]:
        yield from (setup.file for setup in job.setups if isinstance(setup, FileSetup))
        yield from (prompt.removeprefix("file:") for prompt, *_ in own_prompts(job).values())

    return list(dict.fromkeys((file.parent / each).resolve() for each in named()))
