"""`stoic report`: one self-contained HTML file."""

from pathlib import Path
from typing import Annotated

import typer

from stoic_assets.adapters.evaluation.report import write_report
from stoic_assets.adapters.project import refuse_in_warehouse
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.evaluation_choice import evaluation_of
from stoic_assets.cli.options import Json
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.next_command import half_judged, resume
from stoic_assets.core.evaluation.status import REGRADING


def report(
    agent_version: Annotated[
        str | None,
        typer.Option(metavar="A@V", help="Version to report: agent@version. (default: that of ID, else the newest)"),
    ] = None,
    evaluation: Annotated[
        str | None, typer.Option(metavar="ID", help="Evaluation to report. (default: the newest of the version)")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", dir_okay=False, help="The report's file. (default: $STOIC_HOME/reports/…)"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Writes the report of an evaluation."""
    workplace = open_workplace(to_read=True)
    workplace.warehouse.renew()
    refuse_in_warehouse(workplace.project, out)
    manifest = evaluation_of(workplace, agent_version, evaluation)
    if not workplace.warehouse.has("evaluations", *manifest.key):
        raise ConfigurationError(_why_unreported(workplace, manifest))
    path = write_report(workplace, manifest, out)
    [head] = workplace.warehouse.read("evaluations", *manifest.key, ["status"])
    if head["status"] == REGRADING and not workplace.evidence.is_being_evaluated(*manifest.key):
        console.complain(half_judged(*manifest.key))
    if as_json:
        about = {"agent_version": manifest.agent_version, "evaluation_id": manifest.evaluation_id}
        console.print_json({**about, "path": str(path.absolute())})
    else:
        console.out.print(f"wrote {path}")


def _why_unreported(workplace: Workplace, manifest: Manifest) -> str:
    """Why an evaluation whose conversations are not all stored cannot be reported, and what to do."""
    which = f"evaluation {manifest.evaluation_id}"
    if workplace.evidence.is_being_evaluated(*manifest.key):
        return f"{which} is running in another process; report it once its conversations are stored"
    return f"{which} was cut short; continue with {resume(*manifest.key)}"
