"""A comparison in words: the same in terminal, pull request, test report, page and asset.

Of a stored comparison the verdict has its own headline (`version_verdict`). Rows are those of `version_comparisons`.
"""

from collections.abc import Collection, Iterable, Sequence

from stoic_assets.core.comparison.assertions_text import broken, told_apart, weaker
from stoic_assets.core.comparison.comparison import Comparison
from stoic_assets.core.comparison.effect import ALPHA, FEWEST_JOBS
from stoic_assets.core.comparison.family import Verdict, is_measured, measured, ruled_out
from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE, whose_confidence
from stoic_assets.core.presentation.formatting import (
    dashed,
    difference,
    is_missing,
    listed,
    percent,
    plural,
    score,
    span,
)
from stoic_assets.core.table_rows import Row

HEADINGS: dict[Verdict, str] = {
    "regressed": "is worse than", "improved": "is better than", "unchanged": "shows no relevant difference from",
    "inconclusive": "is neither clearly better nor clearly worse than",
}
FEW_JOBS = 12
"""Fewer jobs detect only large differences (docs/statistics.md)."""
SCOPES = {"lift": "lift from the facts"}


def headline(comparison: Comparison) -> str:
    """One sentence: the verdict, which measures changed by how much, and whether assertions got worse all the same."""
    on_measures, versions = _on_measures(comparison), comparison.versions
    if comparison.verdict == "regressed":
        return on_measures
    sure, fell = comparison.surely_broken, told_apart(comparison.weaker)
    worse = [*([broken(sure, *versions)] if sure else []), *([weaker(fell, *versions)] if fell else [])]
    return f"{on_measures}; but {', and '.join(worse)}" if worse else on_measures


def _on_measures(comparison: Comparison) -> str:
    verdict = comparison.verdict
    sentence = f"{comparison.candidate.agent_version} {HEADINGS[verdict]} {comparison.base.agent_version}"
    if verdict == "inconclusive" and (unsure := left_open(comparison.gating)):
        return f"{sentence}: {unsure}"
    moved = comparison.with_verdict(verdict) if verdict in ("regressed", "improved") else ()
    changes = (f"{name(row)} {difference(row['difference'])}" for row in moved)
    return f"{sentence}: {', '.join(changes)}" if moved else sentence


def left_open(rows: Iterable[Row]) -> str | None:
    """Which measures would have regressed, had failed trials not ruled that out; None where none would."""
    names = [name(row) for row in rows if ruled_out(row) == "regressed"]
    return f"failed trials leave open whether {listed(names)} regressed" if names else None


def undecided(rows: Sequence[Row]) -> str:
    """Why gating rows without a regression make no verdict: `5 of 5 measured are undecided; task was not measured`.

    Where too few jobs are the reason, also how many would do.
    """
    if unsure := left_open(rows):
        return unsure
    counted = measured(rows)
    found = sum(row["verdict"] == "inconclusive" for row in counted)
    among = f"{len(counted)}{' measured' if len(counted) < len(rows) else ''}"
    verb = "is" if found == 1 else "are"
    jobs = max(row["jobs"] for row in rows)
    few = f": only {plural(jobs, 'job')} measured in both, and {FEWEST_JOBS} are needed" if jobs < FEWEST_JOBS else ""
    return f"no measure regressed or improved, but {found} of {among} {verb} undecided{few}{unmeasured(rows)}"


def unmeasured(rows: Sequence[Row]) -> str:
    """`; task, assertion were not measured`; empty where at least one version has every measure."""
    names = [name(row) for row in rows if not is_measured(row)]
    return f"; {listed(names, len(rows))} {'was' if len(names) == 1 else 'were'} not measured" if names else ""


def verdict_word(row: Row) -> str:
    """The verdict on one measure; a measure that neither version has is `not measured`."""
    return str(row["verdict"]) if is_measured(row) else "not measured"


def changes(rows: Iterable[Row]) -> str:
    """`assertion −0.33 (95 % interval −0.52 to −0.14), task −0.20 (95 % −0.31 to −0.09)`."""
    return ", ".join(change(row, "95 %" if place else "95 % interval") for place, row in enumerate(rows))


def change(row: Row, before: str = "95 % interval") -> str:
    """`assertion −0.33 (95 % interval −0.52 to −0.14)`; `before` is what stands before the interval."""
    shown = f" ({before} {bounds})" if (bounds := interval(row)) else ""
    return f"{name(row)} {dashed(difference, row['difference'])}{shown}"


def name(row: Row) -> str:
    """The measure and, unless it is over all conditions, the condition."""
    measure, scope = str(row["measure"]).replace("_", " "), row["condition"]
    return measure if scope == "pooled" else f"{measure}, {SCOPES.get(scope, scope)}"


def interval(row: Row) -> str | None:
    """The 95 % interval; None where there is none."""
    low, high = row["low"], row["high"]
    return None if is_missing(low) or is_missing(high) else f"{difference(low)} to {difference(high)}"


def confidence(comparison: Comparison) -> str:
    """How far the confidences of each version are calibrated, if any, and how scores agree with people's."""
    more, less = sorted((comparison.candidate, comparison.base), key=lambda side: -side.calibrated)
    agreement, shares = comparison.candidate.agreement, (percent(more.calibrated), percent(less.calibrated))
    if shares[0] == shares[1] or not (more.confidences and less.confidences):
        return whose_confidence(more.confidences + less.confidences, agreement)
    rest = shares[1] if less.calibrated else "none"
    found = f"{shares[0]} of the confidences of {more.agent_version} and {rest} of those of {less.agent_version}"
    return f"{found} are calibrated on people's ratings. {agreement}".rstrip()


def what_to_know(comparison: Comparison) -> list[str]:
    """The notes, after the one on an offline comparison, and last how far confidences are calibrated."""
    offline = [OFFLINE_NOTE] if comparison.candidate.offline else []
    return [*offline, *comparison.notes, *filter(None, [confidence(comparison)])]


def open_questions(rows: Iterable[Row], notes: Collection[str] = ()) -> list[str]:
    """Why measures that were measured are inconclusive; one line for each reason, unless `notes` tell it already."""
    unsure = (row for row in measured(rows) if row["verdict"] == "inconclusive")
    reasons = grouped((row["why"] or "no reason was recorded", name(row)) for row in unsure)
    return [f"{', '.join(names)}: {'see the notes' if why in notes else why}" for why, names in reasons.items()]


def open_in_short(rows: Sequence[Row], notes: Collection[str]) -> list[str]:
    """As `open_questions`, but what is significant by itself comes first.

    Measures that as many jobs leave open share a line: their figures are in the table.
    """
    by_jobs = grouped((row["jobs"], row) for row in rows if _lacks_power(row))
    shared = {jobs: same for jobs, same in by_jobs.items() if len(same) > 1}
    weak = [_too_small_to_find(jobs, same) for jobs, same in shared.items()]
    first = [row for row in rows if _is_significant(row)]
    rest = [row for row in rows if not (_is_significant(row) or (_lacks_power(row) and row["jobs"] in shared))]
    return [*open_questions(first, notes), *weak, *open_questions(rest, notes)]


def _is_significant(row: Row) -> bool:
    """Whether it is so by itself: something else keeps it undecided, such as the correction."""
    return not is_missing(row["p_adjusted"]) and bool(row["p"] <= ALPHA)


def _lacks_power(row: Row) -> bool:
    """Whether the number of jobs is all that keeps it undecided."""
    if row["verdict"] != "inconclusive" or is_missing(row["p_adjusted"]) or ruled_out(row):
        return False
    return not _is_significant(row) and detectable(row) is not None


def _too_small_to_find(jobs: int, rows: Sequence[Row]) -> str:
    found = span((row["detectable"] for row in rows), score, "–")
    return f"{', '.join(map(name, rows))}: {jobs} jobs find only differences of {found} or more, with 90 % power"


def few_jobs(comparison: Comparison) -> str | None:
    """The advice when nothing was decided because of too few jobs in common; None where that is not the reason."""
    rows = comparison.gating
    tested = [row for row in rows if row["p"] is not None and not is_missing(row["detectable"])]
    jobs = max(row["jobs"] for row in rows)
    if not tested or jobs >= FEW_JOBS or any(row["verdict"] != "inconclusive" or ruled_out(row) for row in rows):
        return None
    finest = min(tested, key=lambda row: float(row["detectable"]))
    found = "they are too few to detect any difference with 90 % power"
    if least := detectable(finest):
        found = f"with 90 % power they detect only differences of {least} or more ({name(finest)})"
    return (
        f"{jobs} jobs in common decide nothing: {found}. Run at least {FEW_JOBS} jobs; up to three repeats of each "
        "help too."
    )


def detectable(row: Row) -> str | None:
    """The smallest difference that the jobs detect with 90 % power; None where it is above 1, as no score is."""
    found = row["detectable"]
    return None if is_missing(found) or found > 1 else score(found)
