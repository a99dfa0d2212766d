"""A comparison as JUnit XML: one test for each measure that gates and each assertion that held, for build servers."""

from stoic_assets.core.comparison.comparison import Comparison
from stoic_assets.core.comparison.comparison_text import (
    CHANCE,
    assertion_name,
    change,
    headline,
    how_often,
    name,
    what_to_know,
)
from stoic_assets.core.comparison.paired_assertions import PairedAssertion
from stoic_assets.core.presentation.junit import Case, Suite, junit
from stoic_assets.core.table_rows import Row


def comparison_junit(comparison: Comparison) -> str:
    """A regressed measure is a failure; an inconclusive one is skipped, with the reason.

    An assertion that always held in the base is a failure where it never holds now, and skipped where only one trial
    shows that. Every test of an offline comparison is marked as such: a build server shows little else of a passed one.
    """
    base, candidate = comparison.base.agent_version, comparison.candidate.agent_version
    against = f"{candidate} against {base}{' (offline)' if comparison.candidate.offline else ''}"
    cases = [_case(against, row) for row in comparison.gating]
    cases += [_assertion_case(against, pair) for pair in comparison.assertions if pair.base.share == 1]
    said = "\n".join([headline(comparison), *what_to_know(comparison)])
    return junit([Suite(_suite_name(base, candidate), cases, said)])


def refusal_junit(base: str, candidate: str, why: str) -> str:
    """One test that ended in an error, for when nothing could be compared."""
    case = Case(f"{candidate} against {base}", "comparison", "error", why)
    return junit([Suite(_suite_name(base, candidate), [case])])


def _suite_name(base: str, candidate: str) -> str:
    return f"stoic compare {base} {candidate}"


def _case(classname: str, row: Row) -> Case:
    if row["verdict"] == "regressed":
        return Case(classname, name(row), "failure", change(row))
    if row["verdict"] == "inconclusive":
        return Case(classname, name(row), "skipped", row["why"] or "")
    return Case(classname, name(row))


def _assertion_case(classname: str, pair: PairedAssertion) -> Case:
    if not pair.broken:
        return Case(classname, assertion_name(pair))
    if not pair.repeated:
        return Case(classname, assertion_name(pair), "skipped", f"{how_often(pair)}; {CHANCE}")
    return Case(classname, assertion_name(pair), "failure", how_often(pair), pair.text)
