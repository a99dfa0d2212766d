"""The project: its folders and `STOIC_HOME`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stoic_assets.adapters.disk.files import write_whole
from stoic_assets.adapters.disk.home_format import note_format, refuse_newer_format
from stoic_assets.adapters.disk.paths import path_in, refuse_undecoded
from stoic_assets.core.errors import ConfigurationError

_ONLY_TO_READ = (
    "make it writable, or set STOIC_HOME to another folder; "
    "`stoic list`, `compare`, `export`, `report --out` and `doctor` read it as it is"
)


@dataclass(frozen=True)
class Project:
    """A folder with `eval_jobs/` (or, without one, the current folder) and the state that belongs to it."""

    root: Path
    home: Path
    warehouse: Path

    @property
    def jobs(self) -> Path:
        """The folder of job files; it need not exist."""
        return self.root / "eval_jobs"

    @property
    def releases(self) -> Path:
        """The folder of release manifests; it need not exist."""
        return self.root / "releases"

    @property
    def settings(self) -> Path:
        """The settings file; it need not exist."""
        return self.root / "stoic.yml"


def find_project(env: Mapping[str, str] = os.environ, start: Path | None = None) -> Project:
    """The project around `start` (default: the current folder), with `STOIC_HOME` and `STOIC_WAREHOUSE` applied.

    Raises `ConfigurationError` when the current folder was removed, or there is no home folder for a `~`.
    """
    try:
        here = (start or Path.cwd()).resolve()
    except FileNotFoundError:
        raise ConfigurationError("the current folder was removed; change to one that exists") from None
    root = next((folder for folder in [here, *here.parents] if (folder / "eval_jobs").is_dir()), here)
    home = _folder_in(env, "STOIC_HOME", root / ".stoic")
    return Project(root, home, _folder_in(env, "STOIC_WAREHOUSE", home / "warehouse"))


def dagster_folder(project: Project, env: Mapping[str, str]) -> Path:
    """Where Dagster keeps its records: `DAGSTER_HOME`, else in the project's own home."""
    return _folder_in(env, "DAGSTER_HOME", project.home / "dagster")


def _folder_in(env: Mapping[str, str], variable: str, default: Path) -> Path:
    return path_in(variable, env.get(variable) or default).absolute()


def refuse_undecoded_paths(project: Project, env: Mapping[str, str]) -> None:
    """Raises `ConfigurationError` for a folder whose path is not Unicode."""
    for folder in (project.root, project.home, project.warehouse, dagster_folder(project, env)):
        refuse_undecoded(folder)


def refuse_in_warehouse(project: Project, *targets: Path | None) -> None:
    """Raises `ConfigurationError` for a file or folder of the user's within the warehouse, which only has our own."""
    for target in filter(None, targets):
        if target.resolve().is_relative_to(project.warehouse.resolve()):
            raise ConfigurationError(f"{target} is in the warehouse {project.warehouse}; name another place")


def make_home(project: Project, to_read: bool = False) -> None:
    """Makes `STOIC_HOME`. With `to_read` it makes none that is missing, and one that exists need not be writable.

    Raises `ConfigurationError` if it cannot be written, or if a newer Stoic Eval has written to it.
    """
    is_new = not project.home.exists()
    if to_read and is_new:  # whoever asks in the wrong folder finds nothing, and leaves nothing
        return
    refusal = _refusal_to_write(project)
    if refusal and not (to_read and project.home.is_dir()):
        raise ConfigurationError(refusal)
    refuse_newer_format(project.home)
    if not to_read:
        note_format(project.home)
    if is_new:  # transcripts, and the key to blinded ratings, are not for a repository
        write_whole(project.home / ".gitignore", "*\n")


def _refusal_to_write(project: Project) -> str | None:
    """Makes the folders and returns what to say if they cannot be made or written."""
    try:
        project.home.mkdir(parents=True, exist_ok=True)
        project.warehouse.mkdir(parents=True, exist_ok=True)
        if not os.access(project.home, os.W_OK):
            raise PermissionError(13, "not writable")
    except OSError as error:
        advice = _ONLY_TO_READ if project.home.is_dir() else "set STOIC_HOME to a folder that can"
        return f"STOIC_HOME {project.home} cannot be written ({error.strerror}); {advice}"
    return None
