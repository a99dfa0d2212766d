"""`stoic delete`: removes all data of a version."""

import sys
from collections.abc import Set
from contextlib import redirect_stdout
from functools import partial
from typing import Annotated

import typer

from stoic_assets.adapters.disk.release_files import each_release
from stoic_assets.adapters.evaluation.deletion import delete_version
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.dagster_instance import open_instance, refuse_misread_folders
from stoic_assets.cli.evaluation_choice import checked_version
from stoic_assets.cli.options import Json
from stoic_assets.cli.run_faults import faults_translated
from stoic_assets.cli.run_records import forget_partition
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.presentation.formatting import plural
from stoic_assets.core.presentation.names import instead_of, known_names
from stoic_assets.core.ratings.collection import ELSEWHERE
from stoic_assets.core.releases import ALL_VERSIONS, Release, agent_of, is_agent_version
from stoic_assets.core.stages import PARTITIONS

_NO_ANSWER = "no answer; add --yes to delete without a question"


def delete(
    agent_version: Annotated[str, typer.Argument(metavar="A@V", help="agent@version")],
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking for confirmation.")] = False,
    as_json: Json = False,
) -> None:
    """Removes all data of a version: tables, journals, cached replies, messages, reports, graph nodes, partition."""
    workplace, version = open_workplace(progress=console.Notes()), agent_version
    refuse_misread_folders(workplace)
    count = _evaluations(workplace, version) if is_agent_version(version) else 0
    if not count:
        _refuse_unknown(workplace, version)
    for note in _manifests(workplace, version):
        console.err.print(note, style="yellow")
    evaluations = plural(count, "evaluation")
    if not (yes or _agreed(f"Delete {version} and its {evaluations} permanently?")):
        console.err.print("nothing was deleted")
        raise typer.Exit(1)
    if is_agent_version(version):
        with faults_translated(workplace, partial(_left, workplace, version)):
            damaged = delete_version(workplace, version, partial(forget_partition, workplace, version))
        for night in damaged:
            console.complain(f"{night} is damaged and may still name {version}; correct or remove the file")
    else:
        forget_partition(workplace, version)
    if as_json:
        console.print_json({"agent_version": version, "evaluations": count})
    else:
        console.out.print(f"deleted {version} with {evaluations}")


def _manifests(workplace: Workplace, version: str) -> list[str]:
    """A line about each release manifest of a version, which is not deleted with it."""
    return [
        f"{path} stays, and by it `stoic ui` evaluates {version} again; delete that file first"
        for path, release in each_release(workplace.project.releases)
        if isinstance(release, Release) and release.agent_version == version
    ]


def _evaluations(workplace: Workplace, version: str) -> int:
    """Counts the stored evaluations of a version, even those that have lost their manifest or their row."""
    return len({*workplace.evidence.evaluation_ids(version), *workplace.warehouse.evaluation_ids(version)})


def _left(workplace: Workplace, version: str) -> str:
    """What a deletion that was cut short has left."""
    if not workplace.evidence.is_being_deleted(version) and _evaluations(workplace, version):
        return "nothing was deleted"
    return f"run `stoic delete {version}` again to delete the rest"


def _refuse_unknown(workplace: Workplace, version: str) -> None:
    """Raises if nothing is stored for the version: neither evidence, nor a table, nor a report, nor a partition.

    The web UI adds any key as a partition; an invalid version can have nothing else.
    """
    with open_instance(workplace) as instance:
        partitions = instance.get_dynamic_partitions(PARTITIONS)
    if version not in partitions:
        checked_version(workplace, version)
    reported = {folder.name for folder in workplace.reports.glob("*@*")}
    with_data = workplace.evidence.agent_versions() | workplace.warehouse.agent_versions() | reported
    stored = {*with_data, *partitions} - {ALL_VERSIONS}
    if version not in stored:
        raise ConfigurationError(f"nothing is stored for {version}; {_meant(version, stored - {ELSEWHERE[0]})}")


def _meant(version: str, stored: Set[str]) -> str:
    """The advice on a wrong version. It proposes none of another agent: what it proposes may be deleted next."""
    alike = [each for each in stored if agent_of(each) == agent_of(version)]
    return instead_of(version, alike) if alike else known_names(stored)


def _agreed(question: str) -> bool:
    if not (sys.stdin and sys.stderr):  # one is closed
        raise ConfigurationError(_NO_ANSWER)
    try:
        with redirect_stdout(sys.stderr):  # typer asks on stderr, but for the question's last blank
            agreed = typer.confirm(question, err=True)
    except typer.Abort:
        console.err.print()  # the cursor is behind the question
        if sys.stdin.isatty():
            raise KeyboardInterrupt from None  # which `input` reports as the end of the input
        raise ConfigurationError(_NO_ANSWER) from None
    if not sys.stdin.isatty():
        console.err.print()  # what was not typed ended no line on the screen
    return agreed
