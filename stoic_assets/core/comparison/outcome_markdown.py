"""A comparison as Markdown, for a comment on a pull request."""

from collections.abc import Iterable

from stoic_assets.core.comparison.comparison import Comparison
from stoic_assets.core.comparison.family import Finding, Verdict
from stoic_assets.core.comparison.outcome_text import confidence, headline, interval, name, open_questions
from stoic_assets.core.markdown import bulleted, plain
from stoic_assets.core.reports.formatting import dashed, difference, p_value, score

OFFLINE = "Judged offline by a lexical stand-in: judged scores mean nothing; what the assertions found is real."
MARKS: dict[Verdict, str] = {"regressed": "❌", "improved": "✅", "unchanged": "🟰", "inconclusive": "❔"}
_COLUMNS = ("measure", "base", "candidate", "difference", "95 % interval", "p (Holm)", "finds", "verdict")


def comparison_markdown(comparison: Comparison) -> str:
    """Verdict, notes, the nine measures, and folded away what never gates."""
    rest = [finding for finding in comparison.findings if not finding.gating]
    notes = [*([OFFLINE] if comparison.candidate.offline else []), *comparison.notes, confidence(comparison)]
    evaluations = f"`{comparison.base.evaluation_id}` and `{comparison.candidate.evaluation_id}`"
    parts = [
        f"### {MARKS[comparison.verdict]} {plain(headline(comparison))}",
        bulleted(notes),
        _table(comparison.gating),
        bulleted(open_questions(comparison.gating)),
        _folded("By condition, what the facts are worth, and trials passed (never gates)", _table(rest)),
        f"<sub>evaluations {evaluations}; “finds”: the difference that this suite detects with 90 % power</sub>",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def refusal_markdown(base: str, candidate: str, why: str) -> str:
    """What a pull request is told when nothing could be compared."""
    return f"### ❔ {plain(candidate)} was not compared with {plain(base)}\n\n{plain(why)}\n"


def _table(findings: Iterable[Finding]) -> str:
    lines = ["| " + " | ".join(_COLUMNS) + " |", "| --- |" + " ---: |" * 6 + " --- |"]
    return "\n".join([*lines, *map(_line, findings)])


def _line(finding: Finding) -> str:
    tested = finding.effect.tested
    cells = (
        name(finding), dashed(score, finding.base), dashed(score, finding.candidate),
        dashed(difference, finding.effect.difference), interval(finding), dashed(p_value, finding.p_adjusted),
        dashed(score, tested and tested.detectable),
        f"**{finding.verdict}**" if finding.verdict == "regressed" else finding.verdict,
    )
    return "| " + " | ".join(cells) + " |"


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{content}\n\n</details>"
