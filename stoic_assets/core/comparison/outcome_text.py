"""A comparison in words, the same everywhere: terminal, pull request, test report, page and asset."""

from collections.abc import Sequence

from stoic_assets.core.comparison.comparison import Comparison
from stoic_assets.core.comparison.family import Finding, Verdict
from stoic_assets.core.reports.confidence import whose_confidence
from stoic_assets.core.reports.formatting import DASH, dashed, difference

HEADINGS: dict[Verdict, str] = {
    "regressed": "is worse than", "improved": "is better than", "unchanged": "is as good as",
    "inconclusive": "cannot be told from",
}
SCOPES = {"lift": "what the facts are worth"}


def headline(comparison: Comparison) -> str:
    """One sentence: the verdict, and what moved by how much."""
    verdict = comparison.verdict
    sentence = f"{comparison.candidate.agent_version} {HEADINGS[verdict]} {comparison.base.agent_version}"
    moved = comparison.with_verdict(verdict) if verdict in ("regressed", "improved") else ()
    changes = (f"{name(finding)} {dashed(difference, finding.effect.difference)}" for finding in moved)
    return f"{sentence}: {', '.join(changes)}" if moved else sentence


def change(finding: Finding) -> str:
    """`assertion −0.33 (95 % −0.52 to −0.14)`."""
    bounds = f" (95 % {interval(finding)})" if finding.effect.tested else ""
    return f"{name(finding)} {dashed(difference, finding.effect.difference)}{bounds}"


def name(finding: Finding) -> str:
    """The measure and, where it is not over all, the condition."""
    measure = finding.measure.replace("_", " ")
    return measure if finding.scope == "pooled" else f"{measure}, {SCOPES.get(finding.scope, finding.scope)}"


def interval(finding: Finding) -> str:
    """The 95 % interval."""
    tested = finding.effect.tested
    return f"{difference(tested.low)} to {difference(tested.high)}" if tested else DASH


def confidence(comparison: Comparison) -> str:
    """How far the judges' confidences are known to be right, on the side of which less is known."""
    return whose_confidence(min(comparison.base.calibrated, comparison.candidate.calibrated))


def open_questions(findings: Sequence[Finding]) -> list[str]:
    """Why measures are inconclusive; one line for those of the same reason."""
    reasons: dict[str, list[str]] = {}
    for finding in findings:
        if finding.verdict == "inconclusive" and finding.why:
            reasons.setdefault(finding.why, []).append(name(finding))
    return [f"{', '.join(names)}: {why}" for why, names in reasons.items()]
