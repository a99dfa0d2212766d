"""`stoic report`: one self-contained HTML file."""

from pathlib import Path
from typing import Annotated

import typer

from stoic_assets.adapters.evaluation_report import write_report
from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.evaluate import Json, newest_version
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.releases import check_agent_version


def report(
    agent_version: Annotated[str | None, typer.Option(help="agent@version.  [default: the newest evaluated]")] = None,
    out: Annotated[Path | None, typer.Option(help="Where to write it.  [default: $STOIC_HOME/reports/…]")] = None,
    as_json: Json = False,
) -> None:
    """Writes the report of a version's newest evaluation."""
    workplace = open_workplace()
    version = check_agent_version(agent_version) if agent_version else newest_version(workplace)
    evaluated = {row["evaluation_id"] for row in workplace.warehouse.evaluations(version)}
    manifests = [each for each in workplace.evidence.manifests(version) if each.evaluation_id in evaluated]
    if not manifests:
        raise ConfigurationError(f"{version} was never evaluated; run `stoic eval --agent-version {version}`")
    path = write_report(workplace, manifests[-1], out)
    if as_json:
        console.print_json({"agent_version": version, "evaluation_id": manifests[-1].evaluation_id, "path": str(path)})
    else:
        console.out.print(f"wrote {path}")
