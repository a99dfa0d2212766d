"""The results of `stoic ratings` in the terminal: how far raters agree, and how far judges agree with them."""

from typing import TYPE_CHECKING

from rich.table import Table

from stoic_assets.adapters.models.stand_in import judged_by_stand_in
from stoic_assets.adapters.ratings.calibration_store import Calibrated
from stoic_assets.adapters.ratings.rating_analysis import Analysed
from stoic_assets.cli import console
from stoic_assets.core.calibration.against_people import panel_in_short
from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE
from stoic_assets.core.presentation.formatting import DASH, dashed, listed, plural, score, words

if TYPE_CHECKING:
    from stoic_assets.core.calibration.judge_calibration import JudgeComparison
    from stoic_assets.core.ratings.analysis import RatingAnalysis

_SHOWN = {"agreement": "qwk_with_raters", "among people": "qwk_among_raters", "wins": "winning_rate"}
"""Measures of `judge_calibration` by the headings under which a terminal shows them."""
_CONFIDENCES = {"map_self": "own", "map_spread": "spread"}
"""Which confidences a map translates."""


def show_analysis(analysed: Analysed) -> None:
    """Whose ratings were analysed, how far they agree, what is odd about a rater, and where the files are."""
    from stoic_assets.core.ratings.inattention import inattention

    analysis, study = analysed.analysis, analysed.analysis.study
    raters, items = len(analysis.table.raters), len(analysis.table.items)
    console.out.print(f"page {study.page_id}, rubric {study.rubric or 'unknown'}")
    counts = (plural(raters, "rater"), plural(items, "item"), plural(analysis.table.ratings, "rating"))
    console.out.print(", ".join(counts))
    if analysis.versions:
        shown = (f"{each.agent_version} ({plural(each.items, 'item')})" for each in analysis.versions)
        console.out.print(f"versions: {', '.join(shown)}")
    if study.others:
        console.out.print(f"not included; analyse these with --page: {', '.join(study.others)}")
    _warn(inattention(analysis.checks.flags, raters))
    console.print_table(_agreement_table(analysis))
    for flag in analysis.checks.flags:
        console.say(f"{flag.rater_id}: {flag.check}: {flag.detail}", indent=2)
    if not_made := analysis.checks.not_made:
        reasons = (f"{words(check).lower()}, since {why}" for check, why in not_made.items())
        console.say(f"not checked: {'; '.join(reasons)}", indent=2)
    console.out.print(f"report: {analysed.report}\ndiscussion sheet: {analysed.discussion_sheet}")


def _warn(sentence: str) -> None:
    if sentence:
        console.say(sentence, style="yellow")


def _agreement_table(analysis: "RatingAnalysis") -> Table:
    from stoic_assets.core.ratings.reliability.gate import as_alpha

    table = console.plain_table()
    for heading in ("dimension", "ordinal alpha", "95 % interval", "gate"):
        table.add_column(heading)
    table.add_column("why", min_width=12)
    for name, dimension in analysis.dimensions.items():
        alpha = dimension.coefficients["alpha_ordinal"]
        interval = " to ".join(as_alpha(bound) for bound in (alpha.low, alpha.high) if bound is not None) or DASH
        estimate = dashed(as_alpha, alpha.estimate)
        table.add_row(name.replace("_", " "), estimate, interval, dimension.gate.state, dimension.gate.why or "")
    return table


def show_calibration(calibrated: Calibrated) -> None:
    """How far each judge agrees with people about each virtue, why a confidence is not calibrated, and the report."""
    comparisons, rows = calibrated.comparisons, calibrated.rows
    _warn(calibrated.inattention)
    console.print_table(_calibration_table(comparisons))
    for judge in dict.fromkeys(comparison.judge for comparison in comparisons):
        if said := panel_in_short(rows, judge.split(",")):
            console.say(f"{judge}: {said}", indent=2)
    for why, those in _uncalibrated(comparisons).items():
        console.say(f"{why} ({listed(those)})", indent=2)
    console.say("agreement: mean quadratic kappa with each rater; wins: share of raters that the judge could replace")
    if judged_by_stand_in(comparison.judge for comparison in comparisons):
        console.say(OFFLINE_NOTE, style="yellow")
    console.out.print(f"report: {calibrated.report}")


def _calibration_table(comparisons: "list[JudgeComparison]") -> Table:
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
    return table


def _calibrated(comparison: "JudgeComparison") -> str:
    """Names the calibrated confidences: the judge's own (of one or two verdicts) and that by the spread of more."""
    return listed([name for measure, name in _CONFIDENCES.items() if measure in comparison.maps]) or "no"


def _uncalibrated(comparisons: "list[JudgeComparison]") -> dict[str, list[str]]:
    """Groups the virtues and judges without a map by what the map of a single verdict lacks, since it needs least."""
    return grouped(
        (each.measures["map_self"].why or "not calibrated", f"{words(each.virtue).lower()} by {each.judge}")
        for each in comparisons if not each.maps
    )  # fmt: skip
