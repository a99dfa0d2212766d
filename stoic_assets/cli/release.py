"""`stoic release add`: writes the manifest that the release sensor picks up."""

from collections.abc import Iterable, Iterator, Mapping, Set
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.disk.files import write_whole
from stoic_assets.adapters.disk.job_files import job_names
from stoic_assets.adapters.disk.release_files import each_release, load_releases, with_faulty
from stoic_assets.adapters.evaluation.job_choice import job_files
from stoic_assets.adapters.http.endpoint import parse_url
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.options import Json
from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.order_of_releases import overtaken
from stoic_assets.core.presentation.names import instead_of
from stoic_assets.core.releases import Release, agent_of, check_agent_version
from stoic_assets.core.text.documents import parse_document
from stoic_assets.core.text.yaml_text import write_yaml

_OPTIONS = {"releasedAt": "--released-at", "parents": "--parent", "jobs": "--job"}
"""The options of keys that have another name."""

app = typer.Typer(no_args_is_help=True, help="Release manifests: where versions listen, and what their parents are.")


@app.command()
def add(
    agent_version: Annotated[str, typer.Argument(metavar="A@V", help="agent@version")],
    url: Annotated[str | None, typer.Option(metavar="URL", help="Where this version listens.")] = None,
    parent: Annotated[
        list[str] | None, typer.Option(metavar="V", help="Version that this one came from, V or A@V; may be repeated.")
    ] = None,
    released_at: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="ISO 8601 time, UTC without a zone. (default: the existing one, else now)"),
    ] = None,
    protocol: Annotated[
        str | None, typer.Option(metavar="NAME", help="embabel or openai. (default: that of the jobs)")
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="Model that the agent is asked to use.")] = None,
    job: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Name of a job to run for it; may be repeated. (default: all for its agent)"),
    ] = None,
    notes: Annotated[str | None, typer.Option(metavar="TEXT", help="Free text that is kept in the manifest.")] = None,
    as_json: Json = False,
) -> None:
    """Writes releases/AGENT-VERSION.yml, or rewrites the version's existing manifest and keeps its date."""
    workplace = open_workplace()
    if url:
        parse_url(url, "--url")
    agent, _, version = check_agent_version(agent_version).partition("@")
    wanted = {
        "agent": agent, "version": version, "url": url, "protocol": protocol, "model": model,
        "releasedAt": released_at, "parents": parent, "jobs": job, "notes": notes,
    }
    with locked(workplace.project.home / "locks" / "releases"):  # else two at once may find the same file free
        path, former = _place(workplace.project.releases, agent_version)
        given = _dated(wanted, former)
        write_whole(path, _manifest(agent_version, given))
    former_keys = former.model_dump(by_alias=True, exclude_defaults=True) if former else {}
    dropped = [key for key in former_keys if key not in given]
    is_dated_now = not (former or released_at)
    doubts = _doubts(Release.model_validate(given), is_dated_now, workplace)
    for problem in (*_unknown(job or (), workplace), *doubts):
        console.err.print(problem, style="yellow")
    if as_json:
        console.print_json({"agent_version": agent_version, "path": str(path), "dropped": dropped})
    else:
        lost = f"; dropped: {', '.join(dropped)}" if dropped else ""
        console.out.print(f"wrote {path}{f' (replaced{lost})' if former else ''}")


def _dated(wanted: Mapping[str, Any], former: Release | None) -> dict[str, Any]:
    """What is wanted of a manifest, without what is empty; by default with the date of the former one, or with now."""
    usual = former.released_at if former else datetime.now(UTC).isoformat(timespec="seconds")
    return {key: value for key, value in {**wanted, "releasedAt": wanted["releasedAt"] or usual}.items() if value}


def _manifest(agent_version: str, given: Mapping[str, Any]) -> str:
    """The text of a manifest. Raises `ConfigurationError`, naming the option, if it could not be read again."""
    text = write_yaml(dict(given))
    try:
        parse_document(text, Release, f"release {agent_version}")
    except DocumentError as fault:  # the line is one of a file that is not written
        key = fault.key.partition("[")[0]
        raise ConfigurationError(f"{_OPTIONS.get(key, f'--{key}')}: {fault.problem}") from None
    return text


def _unknown(names: Iterable[str], workplace: Workplace) -> list[str]:
    """A line about each job that is in no file; it may still be written."""
    known = job_names(job_files(workplace.project))
    return [f"--job: no job is called {name}; {instead_of(name, known)}" for name in names if name not in known]


def _doubts(release: Release, is_dated_now: bool, workplace: Workplace) -> Iterator[str]:
    """A line about each parent of which nothing is known, and about a date after that of a higher number."""
    releases = {**with_faulty(*load_releases(workplace.project.releases)), release.agent_version: release}
    for problem in unknown_parents(release, {*releases, *stored_versions(workplace)}):
        yield f"--parent: {problem}"
    if is_dated_now and (higher := overtaken(release, releases.values())):
        yield f"dated after {higher.agent_version}, which has a higher number; --released-at changes that"


def stored_versions(workplace: Workplace) -> set[str]:
    """Every version of which anything is stored."""
    return workplace.warehouse.agent_versions() | workplace.evidence.agent_versions()


def unknown_parents(release: Release, known: Set[str]) -> list[str]:
    """A line about each parent that is none of the `known` versions: it cannot be compared with that."""
    alike = [each for each in known - {release.agent_version} if agent_of(each) == release.agent]
    unknown = [each for each in release.parent_versions if each not in alike]
    return [f"{each} has neither a manifest nor an evaluation; {instead_of(each, alike)}" for each in unknown]


def _place(folder: Path, agent_version: str) -> tuple[Path, Release | None]:
    """The file of a version's manifest with the manifest, or a free file and None.

    `a@1` goes to `a-1.yml`, or to `a@1.yml` if another version has that file, as `a-b@c` and `a@b-c` would share one.
    Leading dots are left out, because hidden files are not read. Raises `ConfigurationError` if the version has
    several manifests, or neither file is free.
    """
    name = agent_version.lstrip(".")
    plain, own = folder / f"{name.replace('@', '-')}.yml", folder / f"{name}.yml"
    taken: dict[Path, str] = {}
    manifests: list[tuple[Path, Release]] = []
    for path, former in each_release(folder):
        if isinstance(former, Release):
            taken[path] = former.agent_version
            manifests += [(path, former)] if former.agent_version == agent_version else []
        elif path in (plain, own):
            raise former
    if len(manifests) > 1:
        raise ConfigurationError(
            f"{agent_version} is in {' and '.join(str(path) for path, _ in manifests)}; delete all but one"
        )
    if manifests:
        return manifests[0]
    if {plain, own} <= taken.keys():
        whose = " and ".join(f"{path} is the manifest of {taken[path]}" for path in (plain, own))
        raise ConfigurationError(f"{whose}; rename one of them")
    return own if plain in taken else plain, None
