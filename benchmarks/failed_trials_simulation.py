"""What do failed trials cost a comparison, and what do they hide? Runs its code on simulated trials that fail.

    python -m benchmarks.failed_trials_simulation [--quick]

Prints Markdown tables; docs/statistics.md has them and says what they mean. Takes about five minutes on two free
cores; `--quick` does a tenth of it. `benchmarks/comparison` draws the trials.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import product
from typing import Any, Literal

import numpy as np

from benchmarks.comparison.simulated_trials import Floats, Random, draw_suites, draw_trials
from benchmarks.markdown_table import print_table
from stoic_assets.core.comparison.comparison import compare
from stoic_assets.core.comparison.family import Finding, ruled_out
from stoic_assets.core.comparison.measures import GATING
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.configuration.settings import MinimalDifferences
from stoic_assets.core.presentation.formatting import plural
from stoic_assets.core.table_rows import Row
from stoic_assets.core.virtues import VIRTUES

SEED, COMPARISONS = 20261123, 200
SIGMA, TAU = 0.12, 0.04
DROPS, SHARES, JOBS = (0.0, 0.1, 0.2), (0.0, 0.02, 0.05, 0.1, 0.2), (12, 30)
REPEATS, SELECTED_SHARES = (1, 3, 5), (0.1, 0.2, 0.33)
"""Where the candidate fails in its worst trials or jobs."""
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Case:
    """Two versions; all virtues of the candidate are lower by `drop` before scores are cut off.

    Both fail in a `share` of their trials at random; if `selected`, the candidate fails instead in its worst ones, or
    in all trials of the jobs in which it is furthest below the base.
    """

    jobs: int
    repeats: int
    share: float
    drop: float = 0.0
    selected: Literal["trials", "jobs"] | None = None


def verdicts(case: Case, n: int) -> Counter[str]:
    """How many of `n` comparisons call any measure regressed or improved, and wisdom unchanged.

    The same with a star: how many would without the rule for failed trials.
    """
    random = np.random.default_rng(SEED)
    suites = draw_suites(random, n, case.jobs, TAU)
    suites.levels[:, 1, :, : len(VIRTUES)] -= case.drop
    trials = draw_trials(random, suites, case.repeats, SIGMA)
    counts: Counter[str] = Counter()
    for each in trials:
        failed = _failed(random, case, each)
        base, candidate = (_side(f"agent@{place}", each[place], failed[place]) for place in (0, 1))
        counts.update(_told(compare(base, candidate, MinimalDifferences(), 0.1).gating))
    return counts


def _told(findings: Iterable[Finding]) -> set[str]:
    told = set()
    for found in findings:
        for verdict, star in ((found.verdict, ""), (ruled_out(found.row()) or found.verdict, "*")):
            if verdict in ("regressed", "improved") or (verdict == "unchanged" and found.measure == "wisdom"):
                told.add(f"{verdict}{star}")
    return told


def _failed(random: Random, case: Case, trials: Floats) -> Any:
    """Which trials fail, version × job × condition × repeat."""
    failed = random.random(trials.shape[:-1]) < case.share
    quality = trials[..., : len(VIRTUES)].mean(axis=-1)
    if case.selected == "trials":
        failed[1] = quality[1] <= np.quantile(quality[1], case.share)
    if case.selected == "jobs":
        lead = (quality[1] - quality[0]).mean(axis=(1, 2))
        failed[1] = (lead <= np.quantile(lead, case.share))[:, None, None]
    return failed


def _side(version: str, trials: Floats, failed: Any) -> Side:
    """A version's evaluation; trials are job × condition × repeat × measure."""
    rows: list[Row] = []
    virtues: list[Row] = []
    measures: list[Row] = []
    for job, (place, condition) in product(range(len(trials)), enumerate(("withheld", "supplied"))):
        cell: dict[str, Any] = {"job": f"{job:02}", "scenario": None, "condition": condition}
        kept: dict[str, list[float]] = {measure: [] for measure in GATING}
        for repeat, values in enumerate(trials[job, place].tolist()):
            name, fails = f"{job}/{place}/{repeat}", failed[job, place, repeat]
            scores = {"task": 0.0, "overall": 0.0} if fails else dict(zip(GATING, values, strict=True))
            for measure, score in scores.items():
                kept[measure].append(score)
            virtues += [{"trial_id": name, "virtue": virtue, "score": scores.get(virtue)} for virtue in VIRTUES]
            known = {measure: scores.get(measure) for measure in ("assertion", "timing")}
            outcome = "agent_error" if fails else "signed_off"
            rows.append({**cell, "trial_id": name, "outcome": outcome, "valid": True, **known})
        measures += [{**cell, "measure": name, "mean": float(np.mean(of))} for name, of in kept.items() if of]
    return Side(
        agent_version=version, evaluation_id=version, started_at=NOW, judged_at=NOW, status="finished", offline=False,
        scored_trials=len(rows), invalid_trials=0, evaluator_model="m", judges=frozenset(["j"]), prompts={},
        jobs={row["job"]: "1" for row in rows}, measures=measures, trials=rows, virtues=virtues,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulates comparisons of versions that fail in some of their trials.")
    parser.add_argument("--quick", action="store_true", help="a tenth of the comparisons")
    n = COMPARISONS // (10 if parser.parse_args().quick else 1)
    dropped = [Case(jobs, 3, share, drop) for share, jobs, drop in product(SHARES, JOBS, DROPS)]
    sizes = list(product(JOBS, REPEATS, SELECTED_SHARES))
    selected = [Case(*size, 0.0, kind) for kind in ("trials", "jobs") for size in sizes]
    with ProcessPoolExecutor(2) as pool:
        cases = dropped + selected
        found = dict(zip(cases, pool.map(partial(verdicts, n=n), cases), strict=True))
    print(f"Seed {SEED}; {n} comparisons a cell; σ {SIGMA}, τ {TAU}. In parentheses: without the rule.")
    _print_random(found, n)
    for kind, title in (("trials", "in its worst trials"), ("jobs", "throughout in its worst jobs")):
        head = ["failed", "jobs", *(plural(repeats, "repeat") for repeats in REPEATS)]
        rows = [
            [f"{share:.0%}", str(jobs), *(
                _share(found[Case(jobs, repeats, share, 0.0, kind)], "improved", n) for repeats in REPEATS
            )]
            for jobs, share in product(JOBS, SELECTED_SHARES)
        ]  # fmt: skip
        print_table(f"A candidate that fails {title}: any `improved`", head, rows)


def _print_random(found: Mapping[Case, Counter[str]], n: int) -> None:
    head = ["failed", *(f"{jobs} jobs, drop {drop:g}" for jobs, drop in product(JOBS, DROPS))]
    regressed = [
        [f"{share:.0%}", *(_share(found[Case(*each)], "regressed", n) for each in product(JOBS, [3], [share], DROPS))]
        for share in SHARES
    ]
    print_table("Failures at random: any `regressed`", head, regressed)
    unchanged = [
        [f"{share:.0%}", *(_share(found[Case(jobs, 3, share)], "unchanged", n) for jobs in JOBS)] for share in SHARES
    ]
    head = ["failed", *(f"{jobs} jobs" for jobs in JOBS)]
    print_table("Failures at random, equal versions: wisdom `unchanged`", head, unchanged)


def _share(counts: Counter[str], verdict: str, n: int) -> str:
    return f"{counts[verdict] / n:.0%} ({counts[verdict + '*'] / n:.0%})"


if __name__ == "__main__":
    main()
