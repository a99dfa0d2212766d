"""The Dagster instance that commands and UI share: where it is, and how it is opened."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import yaml

from stoic_assets.adapters.disk.configuration_files import read_text
from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.disk.files import remove_folder, write_whole
from stoic_assets.adapters.disk.paths import refuse_misread, shipped
from stoic_assets.adapters.process.lean_imports import hidden, uncollected
from stoic_assets.adapters.project import dagster_folder
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.damaged_records import record_damage_named
from stoic_assets.cli.run_faults import record_faults_named
from stoic_assets.core.errors import ConfigurationError

if TYPE_CHECKING:
    import dagster as dg
    from dagster._core.instance import InstanceRef

    from stoic_assets.defs.celery_runs import CeleryRuns

_IN_ADDRESS = r"%[0-9A-Fa-f]{2}"
"""What has a meaning of its own in the address `sqlite:///...` by which Dagster opens a file."""
_IN_PATTERN = r"[*?]|\[[^/]+\]"
"""Dagster takes the path of its `dagster.yaml` for a pattern: it would not find it, or merge those of other folders."""


def dagster_home(workplace: Workplace) -> Path:
    """The folder of the Dagster instance: `DAGSTER_HOME`, else the project's own, made on first use.

    Raises `ConfigurationError` when its `dagster.yaml` cannot be read, `StorageError` when it cannot be written.
    """
    home = dagster_folder(workplace.project, workplace.env)
    if not (home / "dagster.yaml").exists():
        write_whole(home / "dagster.yaml", read_text(_configuration(workplace)))
    return home


def _configuration(workplace: Workplace) -> Path:
    """The instance's own `dagster.yaml`, or the one that will be copied there."""
    home, root = dagster_folder(workplace.project, workplace.env), workplace.project.root
    made = [folder / "dagster.yaml" for folder in (home, root) if (folder / "dagster.yaml").exists()]
    return made[0] if made else shipped("dagster.yaml")


def refuse_misread_folders(workplace: Workplace) -> None:
    """Raises `ConfigurationError` for a folder in which Dagster or DuckDB would not find what a run stores there."""
    _refuse_misread_records(workplace)
    workplace.warehouse.refuse_misread_folder()


def _refuse_misread_records(workplace: Workplace) -> None:
    home = dagster_folder(workplace.project, workplace.env)
    # Another STOIC_HOME would leave all results so far behind.
    instead = "set DAGSTER_HOME to another one"
    refuse_misread("Dagster", _IN_PATTERN, home, instead)
    if not re.search(_IN_ADDRESS, str(home)):
        return  # Dagster, which takes half a second to load, need not be asked
    if any(re.search(_IN_ADDRESS, str(folder)) for folder in sqlite_folders(workplace)):
        refuse_misread("Dagster", _IN_ADDRESS, home, instead)


def sqlite_folders(workplace: Workplace) -> Iterator[Path]:
    """The folders for the instance's SQLite files; none if its records are in another database."""
    ref = _instance_ref(workplace)
    for storage in (ref.run_storage_data, ref.event_storage_data, ref.schedule_storage_data):
        folder = storage.config_dict.get("base_dir") if storage else None
        if isinstance(folder, str):
            yield Path(folder)


def celery_launcher(workplace: Workplace) -> "CeleryRuns | None":
    """The launcher that puts runs into a queue; None without it, or if `dagster.yaml` cannot be read.

    Raises `ConfigurationError` when it is configured wrongly.
    """
    try:
        ref = _instance_ref(workplace)
    except ConfigurationError:  # which `open_instance` raises too
        return None
    if ref.run_launcher_data is None or ref.run_launcher_data.class_name != "CeleryRuns":
        return None
    with _configuration_faults_named(_configuration(workplace)):
        return cast("CeleryRuns", ref.run_launcher)


def _instance_ref(workplace: Workplace) -> "InstanceRef":
    from dagster._core.instance import InstanceRef

    home, configuration = dagster_folder(workplace.project, workplace.env), _configuration(workplace)
    with _configuration_faults_named(configuration):
        return InstanceRef.from_dir(str(home), config_dir=str(configuration.parent))


@contextmanager
def open_instance(workplace: Workplace) -> Iterator["dg.DagsterInstance"]:
    """Opens the instance that commands and UI share.

    Raises `ConfigurationError` when its `dagster.yaml` is wrong, or Dagster would misread its folder, `StorageError`
    when one of its files is damaged or cannot be written, and `ServiceUnreachable` when its database does not answer,
    even if that only shows within the block.
    """
    _refuse_misread_records(workplace)
    home = dagster_home(workplace)
    with (
        record_damage_named(sqlite_folders(workplace)), record_faults_named(workplace.project.home),
        _opened(home) as instance,
    ):  # fmt: skip
        yield instance


@contextmanager
def _opened(home: Path) -> Iterator["dg.DagsterInstance"]:
    with _configuration_faults_named(home / "dagster.yaml"):
        # With rich, alembic and structlog would colour output that nobody sees: 45 ms, 5 MB.
        with uncollected(), hidden("pygments"):
            from stoic_assets.defs import event_log

            with locked(home / "opening.lock"):  # two processes that set up the same new database would damage it
                instance = event_log.instance_for_runs(home)
        event_log.leave_output_alone(instance)
    with instance:
        yield instance


def forget_output(instance: "dg.DagsterInstance", run_id: str) -> None:
    """Removes the output of a run's steps, which the web UI shows and Dagster would not remove with the run."""
    from dagster._core.storage.local_compute_log_manager import LocalComputeLogManager

    keeper = instance.get_ref().compute_log_manager  # as configured: that of the open instance keeps nothing
    if isinstance(keeper, LocalComputeLogManager):
        remove_folder(Path(keeper._base_dir) / run_id)
    else:
        keeper.delete_logs(prefix=[run_id])


def _without_content(error: Exception) -> str:
    """One line of what Dagster or Python says, without the content of the file, which may be a password."""
    return str(error).splitlines()[0].removeprefix("Failure condition: ").partition(", instead got")[0]


def _without_values(message: str) -> str:
    """One line of what Dagster says of a value, without the value unless it is the name of a variable."""
    line = next(iter(message.splitlines()), "") or "it holds a value that Dagster does not take"
    line = re.sub(r'Value ".*" of type ".*" is not valid for', "Not a value of", line.removesuffix(" failed:"))
    return re.sub(r" of original value (?!\{'env': '\w+'\}$).*", "", line)


def _variables_in(configuration: Path) -> list[str]:
    """The variables that are set and that the file takes values from."""
    named = re.findall(r"""\benv['"]?: *['"]?(\w+)""", configuration.read_text("utf-8", "replace"))
    return [name for name in dict.fromkeys(named) if name in os.environ]


@contextmanager
def _configuration_faults_named(configuration: Path) -> Iterator[None]:
    """Turns what Dagster says of a wrong `dagster.yaml` into `ConfigurationError`."""
    import dagster as dg
    from dagster._check import CheckError
    from sqlalchemy.exc import ArgumentError

    try:
        yield
    except (yaml.YAMLError, UnicodeDecodeError, CheckError) as error:
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        place = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or _without_content(error)
        raise ConfigurationError(f"{configuration}{place}: {problem}; correct the file") from None
    except ImportError as error:
        missing = f"it needs the package {error.name}, which is not installed"
        raise ConfigurationError(f"{configuration}: {missing}; install it, or correct the file") from None
    except dg.DagsterInvalidConfigError as error:
        problem = _without_values(error.errors[0].message if error.errors else "")
        raise ConfigurationError(
            f"{configuration}: {problem}; correct the file, or set the variable that it names"
        ) from None
    except (ValueError, TypeError, ArgumentError) as error:  # from the parts that the file configures
        problem = f"a value there cannot be used ({type(error).__name__})"
        taken = ", ".join(_variables_in(configuration))
        advice = f"correct the file, or what it takes from {taken}" if taken else "correct the file"
        raise ConfigurationError(f"{configuration}: {problem}; {advice}") from None
