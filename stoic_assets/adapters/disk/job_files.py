"""Reads jobs from disk: with the text of the files that they name, refused where they make no sense, chosen by name."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from stoic_assets.adapters.disk.configuration_files import fault_in, mentions, read_document, read_text
from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.jobs.job import Job, PromptName
from stoic_assets.core.jobs.job_entries import MOST_WEIGHT, NAME, CypherSetup, FileSetup
from stoic_assets.core.jobs.slips import slips
from stoic_assets.core.judging.own_prompts import refuse_prompt
from stoic_assets.core.presentation.names import instead_of

_BUILT_IN_PROMPTS = {"eval/socrates", "eval/score"}


def load_job(path: Path) -> Job:
    """One job to hold conversations with, resolved: named, with the text of its setup files and prompt templates."""
    job = _job_in(path)
    if slip := next(slips(job), None):
        raise fault_in(path, *slip)
    return job


def _job_in(path: Path) -> Job:
    """One job, resolved, not checked for slips."""
    job = read_document(path, Job)
    name = job.name or path.stem
    if not re.fullmatch(NAME, name):
        raise fault_in(path, ["name"], _unusable(name, is_file=not job.name))
    if fault := next(chain(_contradictions(job), _excessive_weights(job)), None):
        raise fault_in(path, *fault)
    changes: dict[str, Any] = {
        "name": name,
        "setups": tuple(_resolved(setup, path, number) for number, setup in enumerate(job.setups)),
        "prompts": {prompt: _template(job, path, prompt, *named) for prompt, named in own_prompts(job).items()},
    }
    return job.model_copy(update=changes)


def _contradictions(job: Job) -> Iterator[tuple[Sequence[str | int], str]]:
    """The place of each key that cancels others, and what is wrong. `Job` has no such rules: `slips` says why."""
    if (weights := job.weights()) and not any(weights.values()):
        yield ["virtues"], "every virtue weighs 0; give one a weight above 0, or leave `virtues` out"
    for name, (file, *key) in _short_forms(job).items():
        if _file_of(job.prompts.get(name, file)) != _file_of(file):
            yield key, f"`prompts.{name}` names another template for the same prompt; leave one of the two out"


def _excessive_weights(job: Job) -> Iterator[tuple[Sequence[str | int], str]]:
    """The place of each weight above the bound, and what is wrong. `Job` has no such rule either."""
    weights: dict[tuple[str | int, ...], float] = {("virtues", name): weight for name, weight in job.virtues.items()}
    weights |= {("assertions", number, "weight"): each.weight for number, each in enumerate(job.assertions)}
    for place, weight in weights.items():
        if weight > MOST_WEIGHT:
            yield place, f"a weight is at most {MOST_WEIGHT:,.0f}; only ratios of weights count, so divide all of them"


def _unusable(name: str, is_file: bool) -> str:
    """The complaint about a name, with a name that would be valid."""
    whose = f"the file is called {name!r:.120}; rename it, or" if is_file else f"{name!r:.120} is no name for files;"
    better = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("_.-")[:100] or "my-job"
    return f"{whose} give the job a name of a-z, A-Z, 0-9 and _ . - only, at most 100 of them, such as `name: {better}`"


def _resolved(setup: CypherSetup | FileSetup, path: Path, number: int) -> CypherSetup:
    if isinstance(setup, CypherSetup):
        return setup
    return CypherSetup(cypher=_named_text(path, setup.file, ("setups", number, "file")))


def own_prompts(job: Job) -> dict[PromptName, tuple[str, ...]]:
    """The files of the job's own templates, each with the key that names it."""
    return _short_forms(job) | {name: (file, "prompts", name) for name, file in job.prompts.items()}


def _short_forms(job: Job) -> dict[PromptName, tuple[str, ...]]:
    """The own templates that `evaluator.prompt` and `scorer.prompt` name, as in Embabel's files."""
    named: dict[PromptName, tuple[str, ...]] = {
        "evaluator": (job.evaluator.prompt, "evaluator", "prompt"), "tasks": (job.scorer.prompt, "scorer", "prompt")
    }  # fmt: skip
    return {name: (_with_suffix(file), *key) for name, (file, *key) in named.items() if not _is_built_in(file)}


def _file_of(prompt: str) -> Path:
    """The file, relative to the job file; `file:` may stand before it."""
    return Path(prompt.removeprefix("file:"))


def _is_built_in(prompt: str) -> bool:
    """Whether Embabel's evaluator would find the prompt among its own, under any name that it accepts."""
    return prompt.removeprefix("classpath:/prompts/").removesuffix(".jinja") in _BUILT_IN_PROMPTS


def _with_suffix(prompt: str) -> str:
    """The file of a prompt, which Embabel's evaluator calls by its name with or without `.jinja`."""
    return prompt if ".jinja" in prompt else f"{prompt}.jinja"


def _template(job: Job, path: Path, prompt: PromptName, file: str, *key: str) -> str:
    """The text of a job's own prompt. Raises `ConfigurationError` where it does not render."""
    text = _named_text(path, _file_of(file), key)
    refuse_prompt(job, prompt, text, str(path.parent / _file_of(file)))
    return text


def _named_text(path: Path, file: str | Path, key: Sequence[str | int]) -> str:
    """The text of a file that the job file at `path` names, relative to itself, under `key`."""
    try:
        return read_text(path.parent / file)
    except ConfigurationError as error:
        raise fault_in(path, key, str(error)) from None


def load_jobs(paths: Iterable[Path]) -> list[Job]:
    """Jobs to hold conversations with, from files. Raises the first complaint of `readable_jobs`."""
    jobs, complaints = readable_jobs(paths)
    if complaints:
        raise complaints[0]
    return jobs


def load_corrections(paths: Iterable[Path]) -> list[Job]:
    """Jobs to judge by, from files. Raises as `load_jobs`, except for slips: conversations were held with them."""
    jobs, twins = _without_duplicates((path, _job_in(path)) for path in paths)
    if twins:
        raise twins[0]
    return jobs


def readable_jobs(paths: Iterable[Path]) -> tuple[list[Job], list[ConfigurationError]]:
    """The jobs of files, and the complaints about those that cannot be read.

    Their names must differ by more than case: files are named after them.
    """
    read, faults = _read_jobs(paths)
    jobs, twins = _without_duplicates(read)
    return jobs, [*(fault for _, fault in faults), *twins]


def job_names(paths: Iterable[Path]) -> set[str]:
    """The names of the jobs in files; those in unreadable files are missing."""
    jobs, _ = readable_jobs(paths)
    return {job.name for job in jobs}


def wanted_jobs(paths: Iterable[Path], names: Sequence[str], tags: Sequence[str]) -> list[Job]:
    """The jobs with one of `names` or `tags`; other files may have errors.

    Raises for a name or tag that no job has, for a wanted job whose name is used twice, and for a file with errors that
    mentions a tag.
    """
    read, faults = _read_jobs(paths)
    if mentioned := [fault for path, fault in faults if mentions(path, tags)]:
        raise mentioned[0]
    try:
        chosen = select_jobs([job for _, job in read], names, tags)
    except ConfigurationError as error:
        raise ConfigurationError("; not read: ".join(map(str, [error, *(fault for _, fault in faults[:1])]))) from None
    wanted = {job.name.casefold() for job in chosen}
    _, twins = _without_duplicates((path, job) for path, job in read if job.name.casefold() in wanted)
    if twins:
        raise twins[0]
    return chosen


def _read_jobs(paths: Iterable[Path]) -> tuple[list[tuple[Path, Job]], list[tuple[Path, ConfigurationError]]]:
    """The jobs that could be read, and the complaints about the other files."""
    read: list[tuple[Path, Job]] = []
    faults: list[tuple[Path, ConfigurationError]] = []
    for path in paths:
        try:
            read.append((path, load_job(path)))
        except ConfigurationError as error:
            faults.append((path, error))
    return read, faults


def _without_duplicates(read: Iterable[tuple[Path, Job]]) -> tuple[list[Job], list[ConfigurationError]]:
    """The first job of each name, and the complaints about further ones."""
    first: dict[str, tuple[Path, Job]] = {}
    twins: list[ConfigurationError] = []
    for path, job in read:
        if other := first.get(job.name.casefold()):
            twins.append(DocumentError(str(path), None, "name", f"{job.name!r} is already the name of {other[0]}"))
        else:
            first[job.name.casefold()] = path, job
    return [job for _, job in first.values()], twins


def select_jobs(jobs: Sequence[Job], names: Sequence[str], tags: Sequence[str]) -> list[Job]:
    """The jobs with one of `names` or `tags`; all where neither is given. Raises for a name or tag that no job has."""
    known, tagged = {job.name for job in jobs}, {tag for job in jobs for tag in job.tags}
    for kind, wanted, existing in (("job", names, known), ("tag", tags, tagged)):
        for name in wanted:
            if name not in existing:
                raise ConfigurationError(f"there is no {kind} {name!r}; {instead_of(name, existing)}")
    if not names and not tags:
        return list(jobs)
    return [job for job in jobs if job.name in names or set(job.tags) & set(tags)]
