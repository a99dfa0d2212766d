"""`stoic compare`: compares two versions, with a gate that can stop a pipeline."""

from collections.abc import Collection, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from stoic_assets.adapters.disk.files import remove_stale, write_whole
from stoic_assets.adapters.evaluation.version_comparison import compare_versions
from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.compared_evaluations import compared_evaluations
from stoic_assets.cli.evaluation_choice import checked_version
from stoic_assets.cli.evaluation_end import GATE_SAYS_NO
from stoic_assets.cli.options import Json
from stoic_assets.core.comparison.assertions_text import CHANCE, Told, Turn, told, told_apart
from stoic_assets.core.comparison.comparison import Comparison
from stoic_assets.core.comparison.comparison_junit import comparison_junit, refusal_junit
from stoic_assets.core.comparison.comparison_markdown import comparison_markdown, refusal_markdown
from stoic_assets.core.comparison.comparison_text import (
    confidence,
    few_jobs,
    headline,
    interval,
    name,
    open_questions,
    undecided,
    verdict_word,
)
from stoic_assets.core.comparison.family import Verdict
from stoic_assets.core.comparison.paired_assertions import REPEATED
from stoic_assets.core.comparison.side import ComparisonRefused, Side
from stoic_assets.core.comparison.weaker_assertions import ENOUGH_TRIALS, can_weaken
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE
from stoic_assets.core.presentation.formatting import DASH, dashed, difference, p_value, plural, score
from stoic_assets.core.releases import agent_of
from stoic_assets.core.table_rows import Row

COLOURS: dict[Verdict, str] = {
    "regressed": "red", "improved": "green", "unchanged": "default", "inconclusive": "yellow",
}
TURNS: dict[Turn, str] = {"broken": "red", "weaker": "red", "fixed": "green"}


class Gate(StrEnum):
    """What makes the command exit with 1."""

    regression = "regression"
    inconclusive = "inconclusive"
    broken = "broken"
    weaker = "weaker"


STOPPING: dict[Gate, set[Verdict]] = {
    Gate.regression: {"regressed"}, Gate.inconclusive: {"regressed", "inconclusive"},
}


def compare(
    base: Annotated[str, typer.Argument(metavar="BASE", help="The base: agent@version to compare with.")],
    candidate: Annotated[
        str, typer.Argument(metavar="CANDIDATE", help="The candidate: agent@version that is compared with the base.")
    ],
    evaluation: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Compare this evaluation instead of the one chosen; may be given twice."),
    ] = None,
    fail_on: Annotated[
        list[Gate] | None,
        typer.Option(
            metavar="GATE",
            help="Exit with 1: `regression` where a measure regressed, `inconclusive` also where the verdict is "
            "inconclusive, `broken` where an assertion that always held never holds, `weaker` where one holds "
            "significantly less often. May be repeated.",
        ),
    ] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write JUnit XML to this file.")] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write Markdown for a pull request to this file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compares two evaluated versions job by job, and shows what regressed and how certain that is."""
    workplace = open_workplace(to_read=True)
    if junit and markdown and junit.resolve() == markdown.resolve():
        raise ConfigurationError(f"{markdown} is named twice; name a file for each format")
    remove_stale(junit, markdown)
    for version in (base, candidate):
        checked_version(workplace, version)
    ids = compared_evaluations(workplace, base, candidate, evaluation or [])
    try:
        comparison = compare_versions(workplace, base, candidate, *ids)
    except ComparisonRefused as refusal:
        _write(junit, refusal_junit(base, candidate, str(refusal)))
        _write(markdown, refusal_markdown(base, candidate, str(refusal)))
        raise
    _write(junit, comparison_junit(comparison))
    _write(markdown, comparison_markdown(comparison))
    if as_json:
        console.print_json(comparison_document(comparison))
    else:
        show_comparison(comparison)
    _stop(comparison, fail_on or [])


def _stop(comparison: Comparison, gates: Collection[Gate]) -> None:
    """Exits with 1 where a gate fails, and says why; also reports a gate that cannot fail."""
    for blind in _blind(comparison, gates):
        console.complain(blind)
    worse = [gate for gate in gates if comparison.verdict in STOPPING.get(gate, ())]
    for gate in worse[:1]:
        version, verdict = comparison.candidate.agent_version, comparison.verdict
        why = f": {undecided(comparison.gating)}" if verdict == "inconclusive" else ""
        console.complain(f"--fail-on {gate}: the verdict on {version} is {verdict}{why}")
    stopping = _worse_assertions(comparison, gates)
    for found in stopping:
        console.complain(f"--fail-on {found.turn}: {found.heading}:")
        for line in found.lines:
            console.err.print(f"  {line}")
    if worse or stopping:
        raise typer.Exit(GATE_SAYS_NO)


def _worse_assertions(comparison: Comparison, gates: Collection[Gate]) -> list[Told]:
    """The assertions at which a gate fails, all of them."""
    sure = comparison.surely_broken if Gate.broken in gates else ()
    fell = comparison.weaker if Gate.weaker in gates else ()
    return told(sure, told_apart(fell) if sure else fell, (), comparison.versions, most=len(comparison.assertions))


def _blind(comparison: Comparison, gates: Collection[Gate]) -> Iterator[str]:
    """Gates that cannot fail, whatever regressed, each with advice."""
    if Gate.regression in gates and comparison.cannot_regress:
        advice = "; add jobs, or use --fail-on broken or `stoic eval --fail-under`" if comparison.too_few_jobs else ""
        yield f"--fail-on regression cannot fail here: {comparison.cannot_regress}{advice}"
    unsure = [pair for pair in comparison.broken if not pair.repeated]
    if Gate.weaker in gates and not can_weaken(comparison.assertions):
        why = "no assertion was checked in enough trials of both versions"
        yield f"--fail-on weaker cannot fail here: {why}; {_repeat(ENOUGH_TRIALS)}"
    if Gate.broken in gates and comparison.too_few_repeats:
        yield f"--fail-on broken cannot fail here: {comparison.too_few_repeats}; {_repeat(REPEATED)}"
    elif Gate.broken in gates and unsure:
        broke = f"{plural(len(unsure), 'assertion')} that broke"
        yield f"--fail-on broken ignores {broke}, because {CHANCE}; {_repeat(REPEATED)}"


def _repeat(trials: int) -> str:
    return f"evaluate both versions with --repeats {trials} or more"


def show_comparison(comparison: Comparison) -> None:
    """Prints a comparison for a person."""
    console.out.print()
    console.say(headline(comparison), style=f"bold {COLOURS[comparison.verdict]}")
    for note in comparison.notes:
        console.say(f"note: {note}", style="yellow", indent=2)
    console.print_table(_table(comparison))
    for line in open_questions(comparison.gating, comparison.notes):
        console.say(line, style="dim", indent=2)
    for found in told(comparison.broken, told_apart(comparison.weaker), comparison.fixed, comparison.versions):
        _show_assertions(found)
    if whose := confidence(comparison):
        console.say(whose, style="dim")
    if comparison.candidate.offline:
        console.say(OFFLINE_NOTE, style="yellow")
    if few := few_jobs(comparison):
        console.say(few, style="yellow")


def _show_assertions(found: Told) -> None:
    console.say(f"{found.heading}:", style=TURNS[found.turn], indent=2)
    for line in (*found.lines, *found.rest):
        console.say(f"  {line}", indent=4)


def _table(comparison: Comparison) -> Table:
    table = console.plain_table()
    table.add_column("measure")
    for heading in _versions(comparison):
        table.add_column(console.Name(heading), justify="right", min_width=5)
    for heading in ("change", "95 % interval", "p (Holm)", "jobs"):
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    for row in comparison.gating:
        table.add_row(*_cells(row))
    return table


def _versions(comparison: Comparison) -> tuple[str, str]:
    """The names of the two versions: without their agent if it is the same."""
    base, candidate = comparison.versions
    agent = f"{agent_of(base)}@" if agent_of(base) == agent_of(candidate) else ""
    return base.removeprefix(agent), candidate.removeprefix(agent)


def _cells(row: Row) -> list[str | Text]:
    verdict: Verdict = row["verdict"]
    return [
        name(row), dashed(score, row["base_mean"]), dashed(score, row["candidate_mean"]),
        dashed(difference, row["difference"]), interval(row) or DASH, dashed(p_value, row["p_adjusted"]),
        str(row["jobs"]), Text(verdict_word(row), COLOURS[verdict]),
    ]


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """The comparison as `stoic compare --json` prints it."""
    return {
        "base": _side(comparison.base), "candidate": _side(comparison.candidate), "verdict": comparison.verdict,
        "summary": headline(comparison), "offline": comparison.candidate.offline, "notes": list(comparison.notes),
        "findings": [finding.row() for finding in comparison.findings],
        "flipped_assertions": [pair.row() for pair in comparison.assertions if pair.change],
        "weaker_assertions": [found.row() for found in comparison.weaker],
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "agent_version": side.agent_version, "evaluation_id": side.evaluation_id,
        "started_at": side.started_at.isoformat(), "scored_trials": side.scored_trials,
        "invalid_trials": side.invalid_trials, "calibrated": side.calibrated,
    }


def _write(path: Path | None, text: str) -> None:
    if path:
        write_whole(path, text)
