"""`stoic report`: one self-contained HTML file."""

from pathlib import Path
from typing import Annotated

import typer

from stoic_assets.adapters.evaluation.report import write_report
from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.evaluation_choice import newest_evaluation, version_or_newest
from stoic_assets.cli.options import Json
from stoic_assets.core.evaluation import REGRADING, half_judged


def report(
    agent_version: Annotated[
        str | None,
        typer.Option(metavar="A@V", help="Version to report: agent@version. (default: the newest evaluated)"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", dir_okay=False, help="The report's file. (default: $STOIC_HOME/reports/…)"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Writes the report of a version's newest evaluation."""
    workplace = open_workplace(to_read=True)
    version = version_or_newest(workplace, agent_version)
    manifest = newest_evaluation(workplace, version)
    path = write_report(workplace, manifest, out)
    [head] = workplace.warehouse.read("evaluations", version, manifest.evaluation_id, ["status"])
    if head["status"] == REGRADING:
        console.err.print(f"stoic: {half_judged(version, manifest.evaluation_id)}")
    if as_json:
        about = {"agent_version": version, "evaluation_id": manifest.evaluation_id}
        console.print_json({**about, "path": str(path.absolute())})
    else:
        console.out.print(f"wrote {path}")
