"""Verdicts on a family of measures: regressed, improved, unchanged or inconclusive.

Holm's step-down keeps the chance of any false alarm in the family at 5 % in each direction. A measure that regressed
must also differ by its minimal relevant difference δ: with many jobs an irrelevant difference can be significant.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, fsum, log, log1p
from statistics import fmean
from typing import Any, Literal

from stoic_assets.core.comparison.correction import holm
from stoic_assets.core.comparison.effect import ALPHA, FEWEST_JOBS, NO_SPREAD, Effect, Tested, effect
from stoic_assets.core.comparison.measures import NOT_MEASURED
from stoic_assets.core.comparison.paired_jobs import NO_NOISE, Noise, Pair, Scope
from stoic_assets.core.presentation.formatting import as_set, beside, count, is_missing, p_value, short_of
from stoic_assets.core.rounding import ROUNDING
from stoic_assets.core.table_rows import Row

Verdict = Literal["regressed", "improved", "unchanged", "inconclusive"]


@dataclass(frozen=True)
class Test:
    """One hypothesis: a measure, over which conditions, with its δ.

    `why` is the reason if it must not be decided.
    """

    measure: str
    scope: Scope
    pairs: Sequence[Pair]
    delta: float
    why: str | None = None


@dataclass(frozen=True)
class Finding:
    """The result of one test.

    `base` and `candidate` are means over the paired jobs, 0–1. `p` is one-sided in the direction of the difference,
    `p_adjusted` after Holm. `gating` says whether it counts for the verdict on the version.
    """

    measure: str
    scope: Scope
    gating: bool
    base: float | None
    candidate: float | None
    effect: Effect
    delta: float
    p: float | None
    p_adjusted: float | None
    verdict: Verdict
    why: str | None

    def row(self) -> dict[str, Any]:
        """The columns of `version_comparisons` that describe this finding."""
        tested = self.effect.tested
        numbers = {name: getattr(tested, name, None) for name in ("low", "high", "low_90", "high_90", "detectable")}
        return {
            "measure": self.measure, "condition": self.scope, "gating": self.gating, "jobs": self.effect.jobs,
            "base_mean": self.base, "candidate_mean": self.candidate, "difference": self.effect.difference, **numbers,
            "p": self.p, "p_adjusted": self.p_adjusted, "delta": self.delta, "verdict": self.verdict, "why": self.why,
        }


def by_size(rows: Iterable[Row], verdict: Verdict) -> list[Row]:
    """The rows of `version_comparisons` with this verdict, the largest difference first."""
    found = [row for row in rows if row["verdict"] == verdict]
    return sorted(found, key=lambda row: -abs(row["difference"] or 0))


def is_measured(row: Row) -> bool:
    """Whether a row of `version_comparisons` is of a measure that at least one of the versions has."""
    return bool(row.get("why") != NOT_MEASURED)


def measured(rows: Iterable[Row]) -> list[Row]:
    """The rows of `version_comparisons` of which `is_measured` holds."""
    return [row for row in rows if is_measured(row)]


def overall(rows: Iterable[Row]) -> Verdict:
    """The verdict on a version, from its gating rows of `version_comparisons` as far as they were measured.

    `regressed` if any did; else `improved` if any did, unless failed trials are all that speaks against a regression;
    else `unchanged` if all are.
    """
    gating = measured(rows)
    found = {row["verdict"] for row in gating}
    if "regressed" in found:
        return "regressed"
    if "improved" in found and all(ruled_out(row) != "regressed" for row in gating):
        return "improved"
    return "unchanged" if found == {"unchanged"} else "inconclusive"


def family_size(rows: Iterable[Row]) -> int:
    """How many of these rows of `version_comparisons`, all of one family, were tested together."""
    return sum(not is_missing(row["p_adjusted"]) or _has_no_spread(row) for row in rows)


def _has_no_spread(row: Row) -> bool:
    """Whether a row without p counts in its family all the same; failed trials may be why it is inconclusive, too."""
    return NO_SPREAD in (row["why"] or "")


def ruled_out(row: Row) -> Verdict | None:
    """The verdict that the numbers of an inconclusive row give, and that failed trials ruled out; None without one."""
    change, delta = row["difference"], row["delta"]
    if row["verdict"] != "inconclusive" or is_missing(row["p_adjusted"]) or is_missing(change):
        return None
    found = _verdict(change, row["p_adjusted"], row["low_90"], row["high_90"], delta)
    return None if found == "inconclusive" else found


def decide(tests: Sequence[Test], gating: bool) -> list[Finding]:
    """The findings of one family, in the order of `tests`."""
    family = [place for place, test in enumerate(tests) if test.why is None and len(test.pairs) >= FEWEST_JOBS]
    effects = [_effect(test, max(1, len(family))) for test in tests]
    adjusted = _adjusted({place: effects[place].tested for place in family})
    findings = [_undecided(test, found, gating) for test, found in zip(tests, effects, strict=True)]
    return [
        _decided(finding, *adjusted[place], len(family)) if place in adjusted else finding
        for place, finding in enumerate(findings)
    ]


def _effect(test: Test, tests: int) -> Effect:
    return effect([pair.difference for pair in test.pairs], tests, test.delta, _noise(test.pairs))


def _noise(pairs: Sequence[Pair]) -> Noise:
    """What single trials cause on average over jobs, if it is known of any.

    A job of which it is not has one trial on each side: it tells by how far it lies from the mean difference.
    """
    freedom = sum(pair.noise.freedom for pair in pairs)
    if not freedom:
        return NO_NOISE
    mean = fmean(pair.difference for pair in pairs)
    unknown = [pair.difference - mean for pair in pairs if not pair.noise.freedom]
    spread = fsum(distance**2 for distance in unknown) / (len(pairs) - 1) if unknown else 0.0
    return Noise(fmean(pair.noise.variance for pair in pairs) + spread, freedom)


def _adjusted(family: Mapping[int, Tested | None]) -> dict[int, tuple[float, float]]:
    """p after Holm of what was tested, less and greater.

    A measure without spread counts in the family, with p 1: the family's size must not depend on the results.
    """
    less = holm([tested.p_less if tested else 1.0 for tested in family.values()])
    greater = holm([tested.p_greater if tested else 1.0 for tested in family.values()])
    both = zip(family.items(), less, greater, strict=True)
    return {place: (lower, upper) for (place, tested), lower, upper in both if tested}


def _undecided(test: Test, found: Effect, gating: bool) -> Finding:
    """The finding of a measure, as long as no test decides it."""
    base, candidate = _means(test)
    verdict: Verdict = "inconclusive"
    why = test.why or found.why
    if why == NO_SPREAD:
        verdict, why = _without_spread(found.jobs, test.delta / (2 if test.scope == "lift" else 1))
    return Finding(test.measure, test.scope, gating, base, candidate, found, test.delta, None, None, verdict, why)


def _without_spread(jobs: int, delta: float) -> tuple[Verdict, str | None]:
    """The verdict where all jobs score the same in both versions, and why there is nothing else to say of it.

    No score differs by more than 1. So if the mean differed by `delta`, 0–1, at least that share of all jobs would
    differ, and none of n with a chance of (1 − delta)ⁿ at most.
    """
    if (1 - delta) ** jobs <= ALPHA:
        return "unchanged", NO_SPREAD
    enough = f"; from {count(ceil(log(ALPHA) / log1p(-delta)))} such jobs on that is unchanged" if delta else ""
    return "inconclusive", NO_SPREAD + enough


def _decided(finding: Finding, p_less: float, p_greater: float, tests: int) -> Finding:
    """The finding with its verdict; both p are those after Holm, over so many tests."""
    tested, change, delta = finding.effect.tested, finding.effect.difference, finding.delta
    assert tested is not None  # noqa: S101 - only what was tested is decided
    assert change is not None  # noqa: S101
    p, p_adjusted = (tested.p_less, p_less) if change < 0 else (tested.p_greater, p_greater)
    verdict = _verdict(change, p_adjusted, tested.low_90, tested.high_90, delta)
    why = None
    if verdict == "inconclusive":
        why = _what_is_possible(tested, finding.effect.jobs, delta)
        if p <= ALPHA:
            sure = too_small(change, delta) if p_adjusted <= ALPHA else _sure_alone(p, p_adjusted, tests)
            why = f"{sure}; {why}"
    return replace(finding, p=p, p_adjusted=p_adjusted, verdict=verdict, why=why)


def _verdict(change: float, p_adjusted: float, low_90: float | None, high_90: float | None, delta: float) -> Verdict:
    """What the numbers of a tested measure say."""
    if p_adjusted <= ALPHA and abs(change) >= delta - ROUNDING:
        return "regressed" if change < 0 else "improved"
    return "unchanged" if _within(low_90, high_90, delta) else "inconclusive"


def _within(low: float | None, high: float | None, delta: float) -> bool:
    """Two one-sided tests: whether the 90 % interval shows a difference smaller than δ in both directions."""
    return low is not None and high is not None and -delta < low and high < delta


def too_small(change: float, delta: float) -> str:
    """That a significant change is too small, with as many decimals as show it."""
    sign, size = "−" if change < 0 else "+", short_of(abs(change), delta)
    return f"significant, but {sign}{size} is smaller than δ {as_set(delta)}"


def _sure_alone(p: float, p_adjusted: float, tests: int) -> str:
    """That the correction alone keeps a change from being significant: its 95 % interval may well exclude 0."""
    before, after = p_value(p), p_value(p_adjusted)
    return f"significant by itself (p {before}), but not after the correction for {tests} measures (p {after})"


def _what_is_possible(tested: Tested, jobs: int, delta: float) -> str:
    """What an inconclusive result leaves possible, and what the suite could have found.

    The interval is named: it is that of the equivalence test, not the 95 % one that is shown next to it.
    """
    if tested.low_90 is None or tested.high_90 is None or tested.detectable is None:
        return f"all {jobs} jobs differ by the same amount, so there is no spread and no interval"
    low, high = _end(tested.low_90, delta), _end(tested.high_90, delta)
    said = f"the 90 % interval, {low} to {high}, is not within ±δ ({as_set(delta)})"
    found = f"detect only differences of {tested.detectable:.2f} or more"
    if tested.detectable > 1:  # scores are 0–1
        found = "are too few to detect any difference"
    return f"{said}; these {jobs} jobs {found} with 90 % power"


def _end(value: float, delta: float) -> str:
    """An end of an interval, with as many decimals as show its sign and whether it is within ±δ."""
    shown = beside(value, -delta, 0.0, delta)
    return shown if shown.startswith("−") else f"+{shown}"


def _means(test: Test) -> tuple[float | None, float | None]:
    """The means of base and candidate over the paired jobs."""
    if not test.pairs:
        return None, None
    return fmean(pair.base for pair in test.pairs), fmean(pair.candidate for pair in test.pairs)
