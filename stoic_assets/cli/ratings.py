"""`stoic ratings`: builds a page, collects what raters sent, analyses it."""

from pathlib import Path
from typing import Annotated

import typer

from stoic_assets.adapters.project import refuse_in_warehouse
from stoic_assets.adapters.ratings import calibration_store, ratings_store
from stoic_assets.adapters.ratings.rating_analysis import analyse_ratings
from stoic_assets.adapters.ratings.rating_keys import keys_file
from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.evaluation_choice import checked_version
from stoic_assets.cli.options import Json
from stoic_assets.cli.rating_results import show_analysis, show_calibration
from stoic_assets.core.presentation.formatting import plural

REMAINS = (
    "to calibrate judges by these ratings, run `stoic ratings calibrate`; to count them in the fitness of versions, "
    "`stoic feedback`"
)
app = typer.Typer(no_args_is_help=True, help="Ratings by people: build the page, collect files, analyse, calibrate.")


@app.command()
def build(
    agent_version: Annotated[
        list[str] | None,
        typer.Option(metavar="A@V", help="agent@version to be rated; may be repeated. (default: the newest)"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", dir_okay=False, help="The page's file. (default: $STOIC_HOME/reports/ratings/…)")
    ] = None,
    about: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Introduction for raters: to whom people wrote. (default: none)")
    ] = None,
    as_json: Json = False,
) -> None:
    """Writes one self-contained HTML page for raters, with replies to scenarios that do not show their version."""
    workplace = open_workplace(progress=console.Notes())
    refuse_in_warehouse(workplace.project, out)
    versions = [checked_version(workplace, version) for version in agent_version or ()]
    built = ratings_store.build(workplace, versions, out, about)
    if as_json:
        console.print_json(
            {
                "path": str(built.path.absolute()), "page_id": built.page_id, "replies": built.replies,
                "items": built.items,
            }
        )
    else:
        console.out.print(
            f"wrote {built.path}: {plural(built.replies, 'reply', 'replies')}, {plural(built.items, 'item')} "
            f"with {'repeats and ' if built.repeats else ''}attention items"
        )
        console.out.print(f"keys in {built.keys}: keep this file; without it ratings cannot be matched to replies")


@app.command()
def collect(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE_OR_FOLDER", help="Files that raters saved, or folders of them.")
    ],
    as_json: Json = False,
) -> None:
    """Imports rating files; importing a file again changes nothing, and if one is invalid none is imported."""
    workplace = open_workplace(progress=console.Notes())
    workplace.warehouse.refuse_misread_folder()
    collected = ratings_store.collect(workplace, paths)
    counts = collected.counts
    if as_json:
        console.print_json(counts)
    elif not any(counts[name] for name in ("new", "changed", "unchanged", "superseded")):
        files = plural(collected.files, "JSON file")
        found = f"no rating found in {files}" if collected.files else "no JSON file found"
        console.out.print(f"{found}; collect the files that raters saved on the page")
    else:
        files, new = plural(counts.pop("files"), "file"), plural(counts.pop("new"), "new rating")
        training = collected.merged.training
        of_these = f" ({training} of practice or attention items)" if training else ""
        console.say(", ".join([files, f"{new}{of_these}", *(f"{count} {name}" for name, count in counts.items())]))
        if counts["superseded"]:
            console.say(
                "superseded: the same rater has rated the same item of the same page again (at the same time: the "
                "longer or later rating counts); if two people used one rater id, change it in one person's files"
            )
        if counts["unknown"]:
            console.say(
                "unknown: these ratings belong to no page that is known here: the page was made elsewhere, its version "
                f"was deleted, or {keys_file(workplace.project.home)} is lost"
            )
        if collected.merged.has_new:
            console.say(REMAINS)


@app.command()
def analyze(
    page: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Id of the page whose ratings are analysed. (default: the one rated last)"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Shows how far the raters of one page agree, which raters to talk with, and which items to discuss."""
    from stoic_assets.core.ratings.analysis_document import analysis_document

    workplace = open_workplace(progress=console.Notes())
    workplace.warehouse.refuse_misread_folder()
    analysed = analyse_ratings(workplace, page)
    if as_json:
        console.print_json(analysis_document(analysed.analysis))
    else:
        show_analysis(analysed)
        ours = any(row["trial_id"] is not None for row in analysed.analysis.study.rows)
        if ours and not workplace.warehouse.has(calibration_store.TABLE, *calibration_store.PLACE):
            console.say(REMAINS)


@app.command()
def calibrate(as_json: Json = False) -> None:
    """Compares judges with people on the replies that both scored, and calibrates the judges' confidences by that."""
    workplace = open_workplace(progress=console.Notes())
    workplace.warehouse.refuse_misread_folder()
    calibrated = calibration_store.calibrate_and_store(workplace)
    if as_json:
        measures = [{name: value for name, value in row.items() if name != "confidence_map"} for row in calibrated.rows]
        console.print_json({"report": str(calibrated.report), "measures": measures})
    elif calibrated.comparisons:
        show_calibration(calibrated)
    else:
        console.say("no reply has both ratings and a verdict yet; `stoic ratings build` makes a page for raters")
