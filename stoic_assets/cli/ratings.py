"""`stoic ratings`: builds a page, collects what raters sent, analyses it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stoic_assets.adapters.models.stand_in import judged_by_stand_in
from stoic_assets.adapters.project import refuse_in_warehouse
from stoic_assets.adapters.ratings import calibration_store, ratings_store
from stoic_assets.adapters.ratings.rating_analysis import Analysed, analyse_ratings
from stoic_assets.adapters.ratings.rating_keys import keys_file
from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.options import Json
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE
from stoic_assets.core.presentation.formatting import DASH, dashed, listed, plural, score, words
from stoic_assets.core.releases import check_agent_version

if TYPE_CHECKING:
    from stoic_assets.core.calibration.judge_calibration import JudgeComparison

REMAINS = (
    "to calibrate judges by these ratings, run `stoic ratings calibrate`; to count them in the fitness of versions, "
    "`stoic feedback`"
)
_SHOWN = {"agreement": "qwk_with_raters", "among people": "qwk_among_raters", "wins": "winning_rate"}
"""Measures of `judge_calibration` by the headings under which a terminal shows them."""
_CONFIDENCES = {"map_self": "own", "map_spread": "spread"}
"""Which confidences a map translates."""
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
    versions = [check_agent_version(version) for version in agent_version or ()]
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
            "with repeats and attention items"
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
        files = plural(counts.pop("files"), "file")
        console.say(", ".join([files, *(f"{count} {name}" for name, count in counts.items())]))
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
        _show(analysed)
        ours = any(row["trial_id"] is not None for row in analysed.study.rows)
        if ours and not workplace.warehouse.has(calibration_store.TABLE, *calibration_store.PLACE):
            console.say(REMAINS)


@app.command()
def calibrate(as_json: Json = False) -> None:
    """Compares judges with people on the replies that both scored, and calibrates the judges' confidences by that."""
    workplace = open_workplace(progress=console.Notes())
    workplace.warehouse.refuse_misread_folder()
    calibrated = calibration_store.calibrate_and_store(workplace)
    comparisons, report = calibrated.comparisons, calibrated.report
    if as_json:
        rows = [row for comparison in comparisons for row in comparison.rows()]
        measures = [{name: value for name, value in row.items() if name != "confidence_map"} for row in rows]
        console.print_json({"report": str(report), "measures": measures})
    elif comparisons:
        _show_calibration(comparisons)
        console.out.print(f"report: {report}")
    else:
        console.say("no reply has both ratings and a verdict yet; `stoic ratings build` makes a page for raters")


def _show_calibration(comparisons: "list[JudgeComparison]") -> None:
    table = console.plain_table()
    for heading in ("virtue", "judge"):
        table.add_column(heading, min_width=12)
    for heading in ("replies", "raters", *_SHOWN):
        table.add_column(heading, justify="right")
    table.add_column("calibrated")
    for comparison in comparisons:
        names = map(console.Name, (words(comparison.virtue).lower(), comparison.judge))
        figures = [dashed(score, comparison.measures[measure].estimate) for measure in _SHOWN.values()]
        table.add_row(*names, str(comparison.trials), str(comparison.raters), *figures, _calibrated(comparison))
    console.print_table(table)
    for why, those in _uncalibrated(comparisons).items():
        console.say(console.foreign(f"{why} ({listed(those)})"), indent=2)
    console.say("agreement: mean quadratic kappa with each rater; wins: share of raters that the judge could replace")
    if judged_by_stand_in(comparison.judge for comparison in comparisons):
        console.say(OFFLINE_NOTE, style="yellow")


def _calibrated(comparison: "JudgeComparison") -> str:
    """Names the calibrated confidences: the judge's own (of one or two verdicts) and that by the spread of more."""
    return listed([name for measure, name in _CONFIDENCES.items() if measure in comparison.maps]) or "no"


def _uncalibrated(comparisons: "list[JudgeComparison]") -> dict[str, list[str]]:
    """Groups the virtues and judges without a map by what the map of a single verdict lacks, since it needs least."""
    reasons: dict[str, list[str]] = {}
    for comparison in comparisons:
        if not comparison.maps:
            why = comparison.measures["map_self"].why or "not calibrated"
            reasons.setdefault(why, []).append(f"{words(comparison.virtue).lower()} by {comparison.judge}")
    return reasons


def _show(analysed: Analysed) -> None:
    from stoic_assets.core.ratings.reliability.gate import as_alpha

    analysis = analysed.analysis
    table = console.plain_table()
    for heading in ("dimension", "ordinal alpha", "95 % interval", "gate"):
        table.add_column(heading)
    table.add_column("why", min_width=12)
    for name, dimension in analysis.dimensions.items():
        alpha = dimension.coefficients["alpha_ordinal"]
        interval = " to ".join(as_alpha(bound) for bound in (alpha.low, alpha.high) if bound is not None) or DASH
        estimate = dashed(as_alpha, alpha.estimate)
        table.add_row(name.replace("_", " "), estimate, interval, dimension.gate.state, dimension.gate.why or "")
    raters, items = len(analysis.table.raters), len(analysis.table.items)
    study = analysed.study
    console.out.print(console.foreign(f"page {study.page_id}, rubric {study.rubric or 'unknown'}"))
    counts = (plural(raters, "rater"), plural(items, "item"), plural(analysis.table.ratings, "rating"))
    console.out.print(", ".join(counts))
    if analysis.versions:
        shown = (f"{each.agent_version} ({plural(each.items, 'item')})" for each in analysis.versions)
        console.out.print(console.foreign(f"versions: {', '.join(shown)}"))
    if study.others:
        console.out.print(console.foreign(f"not included; analyse these with --page: {', '.join(study.others)}"))
    console.print_table(table)
    for flag in analysis.checks.flags:
        console.say(console.foreign(f"{flag.rater_id}: {flag.check}: {flag.detail}"), indent=2)
    if not_made := analysis.checks.not_made:
        reasons = (f"{words(check).lower()}, since {why}" for check, why in not_made.items())
        console.say(f"not checked: {'; '.join(reasons)}", indent=2)
    console.out.print(f"report: {analysed.report}\ndiscussion sheet: {analysed.discussion_sheet}")
