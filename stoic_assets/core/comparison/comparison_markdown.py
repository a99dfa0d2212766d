"""A comparison as Markdown, for a comment on a pull request."""

from collections.abc import Iterable

from stoic_assets.core.comparison.assertions_text import Told, told, told_apart
from stoic_assets.core.comparison.comparison import Comparison
from stoic_assets.core.comparison.comparison_text import (
    detectable,
    headline,
    interval,
    name,
    open_questions,
    verdict_word,
    what_to_know,
)
from stoic_assets.core.comparison.family import Verdict
from stoic_assets.core.presentation.formatting import DASH, dashed, difference, p_value, score
from stoic_assets.core.presentation.markdown import bulleted, plain, with_code
from stoic_assets.core.table_rows import Row

MARKS: dict[Verdict, str] = {"regressed": "❌", "improved": "✅", "unchanged": "🟰", "inconclusive": "❔"}
MOST_ASSERTIONS = 30
"""A comment holds 65,536 characters."""
_COLUMNS = ("measure", "base", "candidate", "difference", "95 % interval", "p (Holm)", "detectable", "verdict")


def comparison_markdown(comparison: Comparison) -> str:
    """Verdict, notes, how assertions turned, the nine measures, and, collapsed, those that never gate."""
    rest = [found.row() for found in comparison.findings if not found.gating]
    evaluations = f"`{comparison.base.evaluation_id}` and `{comparison.candidate.evaluation_id}`"
    fell = told_apart(comparison.weaker)
    turns = told(comparison.broken, fell, comparison.fixed, comparison.versions, MOST_ASSERTIONS)
    parts = [
        f"### {_mark(comparison)} {plain(headline(comparison))}",
        bulleted(what_to_know(comparison), with_code),
        *map(_assertions, turns),
        _table(comparison.gating),
        bulleted(open_questions(comparison.gating, comparison.notes)),
        "<details><summary>Further measures</summary>",
        # Dagster shows neither the fold nor its summary.
        "**Not part of the verdict: by condition, trials passed, and lift from the facts:**",
        _table(rest),
        "</details>",
        f"<sub>evaluations {evaluations}; “detectable”: the true difference that is found with 90 % power</sub>",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _mark(comparison: Comparison) -> str:
    """That of the verdict, unless only single assertions show that something got worse."""
    worse = comparison.surely_broken or comparison.weaker
    return "⚠️" if worse and comparison.verdict != "regressed" else MARKS[comparison.verdict]


def refusal_markdown(base: str, candidate: str, why: str) -> str:
    """The comment when nothing could be compared."""
    return f"### ❔ {plain(candidate)} was not compared with {plain(base)}\n\n{with_code(why)}\n"


def _assertions(turn: Told) -> str:
    return f"**{plain(turn.heading)}:**\n\n{bulleted(turn.lines)}\n{bulleted(turn.rest, with_code)}".rstrip()


def _table(rows: Iterable[Row]) -> str:
    lines = ["| " + " | ".join(_COLUMNS) + " |", "| --- |" + " ---: |" * 6 + " --- |"]
    return "\n".join([*lines, *map(_line, rows)])


def _line(row: Row) -> str:
    cells = (
        name(row), dashed(score, row["base_mean"]), dashed(score, row["candidate_mean"]),
        dashed(difference, row["difference"]), interval(row) or DASH, dashed(p_value, row["p_adjusted"]),
        detectable(row) or DASH,
        f"**{row['verdict']}**" if row["verdict"] == "regressed" else verdict_word(row),
    )
    return "| " + " | ".join(cells) + " |"
