"""`stoic feedback`: counts what people found."""

from collections.abc import Sequence

from stoic_assets.adapters.evaluation.feedback_import import FeedbackImport, import_feedback
from stoic_assets.adapters.messages.outbox import errors_of
from stoic_assets.adapters.process.interrupts import run_async
from stoic_assets.adapters.ratings.calibration_store import calibration_rows
from stoic_assets.adapters.ratings.feedback_files import feedback_folder
from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.options import Json
from stoic_assets.cli.run_faults import Interrupted
from stoic_assets.core.calibration.against_people import raters_in_short
from stoic_assets.core.presentation.formatting import listed, plural


def feedback(as_json: Json = False) -> None:
    """Imports feedback files, and turns them and collected ratings into scores of virtues for fitness updates."""
    with console.watched(verbose=False) as progress:
        workplace = open_workplace(progress=progress)
        workplace.warehouse.refuse_misread_folder()
        try:
            imported = run_async(import_feedback(workplace))
        except KeyboardInterrupt:
            raise Interrupted("what was read so far is kept; continue with `stoic feedback`") from None
    for complaint in (*imported.feedback.complaints, *errors_of(imported.deliveries)):
        console.complain(complaint)
    if as_json:
        console.print_json(
            {
                "evaluations": len(imported.feedback.rows), "changed_versions": imported.versions,
                "unmapped_dimensions": imported.feedback.unmapped, "complaints": list(imported.feedback.complaints),
            }
        )
    elif not imported.feedback.rows and not imported.versions:
        folder = feedback_folder(workplace.project.home)
        console.say(f"no feedback yet; put files into {folder}, or collect ratings with `stoic ratings collect`")
    else:
        _show(imported, [version for version in imported.versions if workplace.evidence.evaluation_ids(version)])
        if warning := raters_in_short(calibration_rows(workplace.warehouse)):
            console.say(warning, style="yellow")


def _show(imported: FeedbackImport, evaluated: Sequence[str]) -> None:
    rated = sum(row["kind"] == "ratings" for row in imported.feedback.rows)
    files = plural(len(imported.feedback.rows) - rated, "feedback file")
    changed = f"changed for {listed(imported.versions)}" if imported.versions else "none is new"
    console.say(f"{files}, {plural(rated, 'rated reply', 'rated replies')}; {changed}")
    for version in evaluated:
        console.say(f"to count this in its fitness, run `stoic regrade --agent-version {version}`")
    if imported.feedback.unmapped:
        console.say(f"dimensions that no virtue is mapped to: {', '.join(imported.feedback.unmapped)}")
