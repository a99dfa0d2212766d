"""What jobs reach beside the agent's words: variables of the environment, and files outside of the project.

Whoever writes jobs is trusted with both; who runs jobs of others is told.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from stoic_assets.adapters.agents.connect import KEY, header_variables
from stoic_assets.adapters.document_files import own_prompts, read_document
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import FileSetup


def variables_sent(jobs: Iterable[Job], addresses: Mapping[str, str], env: Mapping[str, str]) -> dict[str, list[str]]:
    """The variables whose values an address is sent in headers, by address; `addresses` are by the jobs' names."""
    sent: dict[str, set[str]] = defaultdict(set)
    key = {KEY} if env.get(KEY) else set()
    for job in jobs:
        sent[addresses[job.name]] |= key | header_variables(job.target)
    return {address: sorted(names) for address, names in sent.items() if names}


def files_outside(root: Path, files: Iterable[Path], jobs: Iterable[Job]) -> dict[str, list[Path]]:
    """What setups and prompts of these jobs are read from that is not below `root`, by the jobs' names.

    `files` are the job files, among them those of the jobs.
    """
    names = {job.name for job in jobs}
    outside: dict[str, list[Path]] = {}
    for file in files:
        with suppress(ConfigurationError):  # which only those have that are none of the jobs'
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
