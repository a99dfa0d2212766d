"""Jobs, release manifests and settings as they are read from disk."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from stoic_assets.core.documents import Document, parse_document
from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.jobs.job import NAME, CypherSetup, FileSetup, Job, PromptName
from stoic_assets.core.releases import Release
from stoic_assets.core.settings import Settings

D = TypeVar("D", bound=Document)
_BUILT_IN_PROMPTS = {"eval/socrates", "eval/score"}


def read_document(path: Path, model: type[D]) -> D:
    """One YAML file as `model`. Raises `DocumentError`, naming file, line and key."""
    return parse_document(read_text(path), model, str(path))


def read_text(path: Path) -> str:
    """The text of a file a user named. Raises `ConfigurationError` when it is not to be had."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigurationError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {error}") from None


def load_settings(path: Path) -> Settings:
    """`stoic.yml`, or all defaults where there is none (or nothing but comments in it)."""
    is_silent = not path.exists() or all(line.lstrip().startswith("#") or not line.strip() for line in read_text(path).splitlines())
    return Settings() if is_silent else read_document(path, Settings)


def load_job(path: Path) -> Job:
    """One job, resolved: named, with its setup files and prompt templates read in."""
    job = read_document(path, Job)
    if not re.fullmatch(NAME, job.name or path.stem):
        raise DocumentError(str(path), None, "name", "give the job a name of letters, digits and _ . - only")
    changes: dict[str, Any] = {
        "name": job.name or path.stem,
        "setups": tuple(_resolved(setup, path) for setup in job.setups),
        "prompts": {name: read_text(path.parent / file) for name, file in _own_prompts(job).items()},
    }
    # Validated again, since a job's file name becomes its name, and what was in files must fit like what was inline.
    resolved = job.model_dump(by_alias=True) | {**changes, "setups": [s.model_dump() for s in changes["setups"]]}
    return Job.model_validate(resolved)


def _resolved(setup: CypherSetup | FileSetup, path: Path) -> CypherSetup:
    return setup if isinstance(setup, CypherSetup) else CypherSetup(cypher=read_text(path.parent / setup.file))


def _own_prompts(job: Job) -> dict[PromptName, str]:
    """Where the job's own templates are; `evaluator.prompt` and `scorer.prompt` may name one too, as in Embabel's files."""
    own = dict(job.prompts)
    named: tuple[tuple[PromptName, str], ...] = (("evaluator", job.evaluator.prompt), ("tasks", job.scorer.prompt))
    for name, file in named:
        if file not in _BUILT_IN_PROMPTS and name not in own:
            own[name] = file.removeprefix("file:")
    return own


def load_jobs(paths: Iterable[Path]) -> list[Job]:
    """Jobs from files; their names must differ."""
    named: dict[str, Path] = {}
    jobs = []
    for path in paths:
        job = load_job(path)
        if job.name in named:
            raise DocumentError(str(path), None, "name", f"{job.name!r} is already the name of {named[job.name]}")
        named[job.name] = path
        jobs.append(job)
    return jobs


def job_files(folder: Path) -> list[Path]:
    """The job files of a folder, by name."""
    return sorted([*folder.glob("*.yml"), *folder.glob("*.yaml")])


def select_jobs(jobs: Sequence[Job], names: Sequence[str], tags: Sequence[str]) -> list[Job]:
    """The jobs with one of `names` or `tags`; all of them where neither is given. Raises on a name or tag nobody has."""
    known, tagged = {job.name for job in jobs}, {tag for job in jobs for tag in job.tags}
    for kind, wanted, existing in (("job", names, known), ("tag", tags, tagged)):
        for name in wanted:
            if name not in existing:
                raise ConfigurationError(f"there is no {kind} {name!r}; known: {', '.join(sorted(existing)) or 'none'}")
    if not names and not tags:
        return list(jobs)
    return [job for job in jobs if job.name in names or set(job.tags) & set(tags)]


def load_releases(folder: Path) -> tuple[dict[str, Release], list[ConfigurationError]]:
    """The manifests of a folder by agent version, and the complaints about those that do not read."""
    releases: dict[str, Release] = {}
    complaints: list[ConfigurationError] = []
    for path in job_files(folder) if folder.is_dir() else []:
        try:
            release = read_document(path, Release)
        except ConfigurationError as error:
            complaints.append(error)
        else:
            releases[release.agent_version] = release
    return releases, complaints
