"""The comparison of two evaluated versions: what regressed, what improved, and what remains inconclusive."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

from stoic_assets.core.comparison.comparable import Common, common_ground
from stoic_assets.core.comparison.effect import FEWEST_JOBS
from stoic_assets.core.comparison.family import Finding, Test, Verdict, by_size, decide, family_size, overall
from stoic_assets.core.comparison.lee_bounds import robust_findings, without_worst
from stoic_assets.core.comparison.measures import GATING, MEASURES, NOT_MEASURED, PASSED, minimal_difference
from stoic_assets.core.comparison.paired_assertions import (
    REPEATED,
    AssertionKey,
    Held,
    PairedAssertion,
    held,
    paired_assertions,
)
from stoic_assets.core.comparison.paired_jobs import Measured, NoisyCells, Scope, cells_by_measure, paired
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.comparison.trial_values import trial_noise
from stoic_assets.core.comparison.weaker_assertions import WeakerAssertion, weaker_since
from stoic_assets.core.configuration.settings import MinimalDifferences
from stoic_assets.core.table_rows import Row

SCOPES: tuple[Scope, ...] = ("withheld", "supplied", "lift")


@dataclass(frozen=True)
class Comparison:
    """Two versions and what was found; `notes` say what a reader must know to interpret it correctly.

    `assertions` are those that were checked in both, the greatest loss first; single ones do not affect the verdict.
    """

    base: Side
    candidate: Side
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    assertions: tuple[PairedAssertion, ...]

    @property
    def versions(self) -> tuple[str, str]:
        """The base and the candidate, as agent@version."""
        return self.base.agent_version, self.candidate.agent_version

    @property
    def verdict(self) -> Verdict:
        """The verdict of the gating findings together."""
        return overall(self.gating)

    @property
    def gating(self) -> list[Row]:
        """The rows of the nine findings that decide."""
        return [found.row() for found in self.findings if found.gating]

    @property
    def too_few_jobs(self) -> str | None:
        """Why too few jobs were measured; None where they suffice for at least one gating measure."""
        jobs = max(row["jobs"] for row in self.gating)
        if jobs >= FEWEST_JOBS:
            return None
        return (
            f"with fewer than {FEWEST_JOBS} jobs measured in both versions (here: {jobs}) no measure can be called "
            "regressed, however far it dropped"
        )

    @property
    def cannot_regress(self) -> str | None:
        """Why nothing can be `regressed`; None where at least one gating measure was tested."""
        if family_size(self.gating):
            return None
        return self.too_few_jobs or next(row["why"] for row in self.gating if row["jobs"] >= FEWEST_JOBS)

    @property
    def broken(self) -> tuple[PairedAssertion, ...]:
        """The assertions that held in every trial of the base and hold in none of the candidate."""
        return tuple(pair for pair in self.assertions if pair.broken)

    @property
    def surely_broken(self) -> tuple[PairedAssertion, ...]:
        """Those of them that were checked often enough on both sides."""
        return tuple(pair for pair in self.broken if pair.repeated)

    @property
    def fixed(self) -> tuple[PairedAssertion, ...]:
        """The assertions that held in no trial of the base and hold in every one of the candidate."""
        return tuple(pair for pair in self.assertions if pair.fixed)

    @cached_property
    def weaker(self) -> tuple[WeakerAssertion, ...]:
        """The assertions that hold significantly less often, over all the jobs that check them."""
        return weaker_since(self.assertions, self.gating)

    @property
    def too_few_repeats(self) -> str | None:
        """Why no assertion can be called broken; None where one can."""
        if any(pair.repeated for pair in self.assertions):
            return None
        return f"no assertion was checked in {REPEATED} trials of a job under the same condition in both versions"

    def with_verdict(self, verdict: Verdict) -> list[Row]:
        """The gating rows with this verdict, the largest difference first."""
        return by_size(self.gating, verdict)

    def rows(self) -> list[Row]:
        """The rows of `version_comparisons`."""
        head = {
            "base": self.base.agent_version, "candidate": self.candidate.agent_version,
            "base_evaluation_id": self.base.evaluation_id, "base_started_at": self.base.started_at,
            "offline": self.candidate.offline, "notes": list(self.notes),
            "weaker_assertions": list(dict.fromkeys(found.what for found in self.weaker)),
        }
        return [head | found.row() for found in self.findings]


def compare(
    base: Side, candidate: Side, minimal: MinimalDifferences, threshold: float, judge_moved: str | None = None
) -> Comparison:
    """Compares the evaluations of two versions on what they have in common.

    `threshold` is the share of invalid trials above which there is no verdict. `judge_moved` says how the judge changed
    between the two, if it did: what it judged is then inconclusive. Raises `ComparisonRefused`.
    """
    common = common_ground(base, candidate, threshold, judge_moved)
    before, after = (cells_by_measure(side.measures, common.jobs) for side in (base, candidate))
    noise = trial_noise(base, candidate, common.jobs)
    found = partial(_findings, noise=noise, common=common, minimal=minimal)
    findings = found(before, after)
    if common.left_out:
        base_left = without_worst(before, after, base, candidate, common.jobs)
        candidate_left = without_worst(after, before, candidate, base, common.jobs)
        without = (base, found(base_left, after)), (candidate, found(before, candidate_left))
        findings = robust_findings(findings, without, common.left_out)
    pairs = paired_assertions(*(_held(side, common) for side in (base, candidate)))
    result = Comparison(base, candidate, tuple(findings), common.notes, tuple(pairs))
    return replace(result, notes=(*result.notes, few)) if (few := result.too_few_jobs) else result


def _held(side: Side, common: Common) -> dict[AssertionKey, Held]:
    return held((row for row in side.trials if row["job"] in common.jobs), side.assertions)


def _findings(
    before: Measured, after: Measured, noise: Mapping[str, NoisyCells], common: Common, minimal: MinimalDifferences
) -> list[Finding]:
    """The family that decides; then trials passed, each measure by condition, and the lift, never part of a verdict."""

    def test(measure: str, scope: Scope) -> Test:
        pairs = paired(before.get(measure, {}), after.get(measure, {}), scope, noise.get(measure, {}))
        had = measure in before or measure in after
        why = common.undecidable.get(measure) if had else NOT_MEASURED
        return Test(measure, scope, pairs, minimal_difference(measure, minimal), why)

    split = [found for m in MEASURES for scope in SCOPES if (found := test(m, scope)).pairs]
    return [
        *decide([test(m, "pooled") for m in GATING], gating=True),
        *decide([test(PASSED, "pooled"), *split], gating=False),
    ]
