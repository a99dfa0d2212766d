"""A comparison as JUnit XML: one test for each measure that gates and each assertion that held, for build servers."""

from collections.abc import Iterator

from stoic_assets.core.comparison.assertions_text import CHANCE, broken, how_often, how_often_over_all
from stoic_assets.core.comparison.comparison import Comparison
from stoic_assets.core.comparison.comparison_text import change, headline, name, what_to_know
from stoic_assets.core.comparison.paired_assertions import PairedAssertion
from stoic_assets.core.presentation.junit import Case, Suite, junit
from stoic_assets.core.table_rows import Row


def comparison_junit(comparison: Comparison) -> str:
    """A regressed measure is a failure; an inconclusive one is skipped, with the reason.

    An assertion that always held in the base, or holds significantly less often, is a failure where it broke or fell,
    and skipped where that may be chance. Every test of an offline comparison is marked as such: a build server shows
    little else of a passed one.
    """
    base, candidate = comparison.versions
    against = f"{candidate} against {base}{' (offline)' if comparison.candidate.offline else ''}"
    cases = [_case(against, row) for row in comparison.gating]
    cases += _assertion_cases(against, comparison)
    said = "\n".join([headline(comparison), *_maybe_broken(comparison), *what_to_know(comparison)])
    return junit([Suite(_suite_name(base, candidate), cases, said)])


def _maybe_broken(comparison: Comparison) -> Iterator[str]:
    """How many assertions broke of which a single trial says so: their tests are skipped, not failed."""
    if once := [pair for pair in comparison.broken if not pair.repeated]:
        yield f"{broken(once, *comparison.versions)}; {CHANCE}"


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


def _assertion_cases(classname: str, comparison: Comparison) -> Iterator[Case]:
    fell = {pair: how_often_over_all(found) for found in comparison.weaker for pair in found.fell}
    for pair in comparison.assertions:
        if pair.base.share == 1 or pair in fell:
            yield _assertion_case(classname, pair, fell.get(pair))


def _assertion_case(classname: str, pair: PairedAssertion, weaker: str | None) -> Case:
    """The test of one assertion in one job; `weaker` says how often it holds over all jobs, if significantly less."""
    name, found = f"{pair.job} ({pair.condition}): {pair.label}", how_often(pair)
    if pair.change >= 0:
        return Case(classname, name)
    if pair.broken and pair.repeated:
        return Case(classname, name, "failure", found, pair.text)
    if weaker:
        return Case(classname, name, "failure", f"{found}; in all jobs that check it {weaker}", pair.text)
    return Case(classname, name, "skipped", f"{found}{f'; {CHANCE}' if pair.broken else ', which may be chance'}")
