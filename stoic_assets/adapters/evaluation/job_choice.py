"""Which job files a project has, and which of their jobs a request selects."""

import os
from collections.abc import Iterable
from pathlib import Path

from stoic_assets.adapters.disk.configuration_files import yaml_files
from stoic_assets.adapters.disk.job_files import job_names, load_jobs, select_jobs, wanted_jobs
from stoic_assets.adapters.disk.release_files import fault_in_release
from stoic_assets.adapters.project import Project
from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.evaluation.resuming import filled_in
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.releases import Release, agent_of, check_agent_version


def job_files(project: Project) -> list[Path]:
    """All job files of a project: `data/eval/agent.yml`, if there is one, and those of `eval_jobs/`."""
    return [*_single_file(project), *yaml_files(project.jobs)]


def unread_files(project: Project) -> list[Path]:
    """The YAML files in subfolders of `eval_jobs/`, which are not read."""
    within = [folder for folder in sorted(project.jobs.rglob("*")) if folder.is_dir()]
    return [file for folder in within for file in yaml_files(folder)]


def _single_file(project: Project) -> list[Path]:
    single = project.root / "data" / "eval" / "agent.yml"
    return [single] if single.exists() else []


def by_default(request: EvaluationRequest, project: Project) -> EvaluationRequest:
    """Adds `data/eval/agent.yml`, if it exists, to a request that names neither version nor jobs."""
    if request.names_jobs:
        return request
    return request.model_copy(update={"files": tuple(map(str, _single_file(project)))})


def as_stored(request: EvaluationRequest, project: Project) -> EvaluationRequest:
    """The request with files that are found again from any folder, and in the project even if that moves."""
    files = tuple(str(_as_reached(Path(file).absolute(), project.root)) for file in request.files)
    return request.model_copy(update={"files": files})


def _as_reached(file: Path, root: Path) -> Path:
    """The path of a file, relative to `root` if it leads through that.

    Links stay: a job's name and the files that it names follow from them, and they may lead elsewhere later.
    """
    climbed = (folder for folder in file.parents if folder.name == "..")
    plain = next((folder.resolve() / file.relative_to(folder) for folder in climbed), file)
    return next((plain.relative_to(folder) for folder in plain.parents if folder.resolve() == root), plain)


def as_begun(request: EvaluationRequest, begun: Manifest, project: Project) -> EvaluationRequest:
    """The request that continues an evaluation: whatever it leaves open is filled in from the original request."""
    return filled_in(request, begun, [str(project.root / file) for file in begun.request.files])


def missing_jobs(begun: Manifest, project: Project) -> list[str]:
    """The jobs of an evaluation that are no longer where they were, or cannot be read there."""
    files = [project.root / file for file in begun.request.files] or job_files(project)
    there = job_names(files)
    return [job.name for job in begun.spec.jobs if job.name not in there]


def chosen_jobs(
    request: EvaluationRequest, agent_version: str | None, project: Project, release: Release | None
) -> list[Job]:
    """The jobs that a request selects.

    Unless it names some, those addressed to this agent; if there are none, `data/eval/agent.yml`, else all.
    """
    if request.files:
        files = {Path(file).resolve(): Path(file) for file in request.files}
        refuse_missing(files.values(), project)
        return select_jobs(load_jobs(files.values()), request.jobs, request.tags)
    if not (known := job_files(project)):
        raise ConfigurationError(f"{project.jobs}: no jobs there; `stoic init` writes one to change, --file names one")
    if request.jobs:
        return wanted_jobs(known, request.jobs, request.tags)
    if release and release.jobs and not request.tags:
        return _released_jobs(known, project, release)
    jobs = wanted_jobs(known, (), request.tags) if request.tags else load_jobs(known)
    addressed = [job for job in jobs if agent_version and job.target.chatbot == agent_of(agent_version)]
    single = [] if request.tags else load_jobs(_single_file(project))
    return addressed or single or jobs


def refuse_missing(files: Iterable[Path], project: Project) -> None:
    """Raises `ConfigurationError` for a file that is not there if one of the project's has the same name."""
    for file in files:
        alike = [each for each in job_files(project) if file.name in (each.name, each.stem)]
        if alike and not file.exists():
            raise ConfigurationError(f"{file}: there is no such file; did you mean {os.path.relpath(alike[0])}?")


def default_version(request: EvaluationRequest, project: Project, otherwise: str = "") -> str:
    """`<chatbot>@dev`. Raises `ConfigurationError` when the jobs address more than one chatbot.

    `otherwise` is what else helps there than naming the version.
    """
    chatbots = sorted({job.target.chatbot for job in chosen_jobs(request, None, project, None)})
    if len(chatbots) != 1:
        raise ConfigurationError(
            f"the jobs are for several agents ({', '.join(chatbots)}); choose one with --agent-version AGENT@VERSION"
            f"{otherwise}"
        )
    try:
        return check_agent_version(f"{chatbots[0]}@dev")
    except ConfigurationError as error:
        raise ConfigurationError(f"{error}; name the version with --agent-version") from None


def _released_jobs(known: list[Path], project: Project, release: Release) -> list[Job]:
    try:
        return wanted_jobs(known, release.jobs, ())
    except DocumentError:
        raise  # it names a job's own file
    except ConfigurationError as error:
        raise fault_in_release(project.releases, release, "jobs", str(error)) from None
