"""What do failed trials cost a comparison, and what do they hide? Runs its code on simulated trials that fail.

    python -m benchmarks.failed_trials_simulation [--quick]

Prints Markdown tables; docs/statistics.md has them and says what they mean. Takes about four minutes on two free
cores; `--quick` does a tenth of it. `benchmarks/comparison` draws the trials.
"""

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from benchmarks.comparison.simulated_trials import Floats, Random, draw_suites, draw_trials
from benchmarks.markdown_table import print_table
from stoic_assets.core.comparison.comparison import compare
from stoic_assets.core.comparison.measures import GATING
from stoic_assets.core.comparison.side import Side
from stoic_assets.core.judging.virtues import VIRTUES
from stoic_assets.core.presentation.formatting import plural
from stoic_assets.core.settings import MinimalDifferences
from stoic_assets.core.table_rows import Row

SEED, COMPARISONS = 20261123, 200
SIGMA, TAU = 0.12, 0.04
DROPS, SHARES, JOBS = (0.0, 0.1, 0.2), (0.0, 0.02, 0.05, 0.1, 0.2), (12, 30)
REPEATS, SELECTED_SHARES = (1, 3, 5), (0.1, 0.2, 0.33)
"""Where the candidate fails in its worst trials."""
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Case:
    """Two versions; all virtues of the candidate are lower by `drop` before scores are cut off.

    Both fail in a `share` of their trials at random; if `selected`, the candidate fails in its worst ones instead.
    """

    jobs: int
    repeats: int
    share: float
    drop: float = 0.0
    selected: bool = False


def verdicts(case: Case, n: int) -> Counter[str]:
    """How many of `n` comparisons call any measure regressed or improved, and wisdom unchanged."""
    random = np.random.default_rng(SEED)
    suites = draw_suites(random, n, case.jobs, TAU)
    suites.levels[:, 1, :, : len(VIRTUES)] -= case.drop
    trials = draw_trials(random, suites, case.repeats, SIGMA)
    counts: Counter[str] = Counter()
    for each in trials:
        failed = _failed(random, case, each)
        base, candidate = (_side(f"agent@{place}", each[place], failed[place]) for place in (0, 1))
        compared = compare(base, candidate, MinimalDifferences(), 0.1)
        found = {finding.measure: finding.verdict for finding in compared.gating}
        counts.update({verdict for verdict in found.values() if verdict in ("regressed", "improved")})
        counts["unchanged"] += found["wisdom"] == "unchanged"
    return counts


def _failed(random: Random, case: Case, trials: Floats) -> Any:
    """Which trials fail, version × job × condition × repeat."""
    failed = random.random(trials.shape[:-1]) < case.share
    if case.selected:
        quality = trials[1, ..., : len(VIRTUES)].mean(axis=-1)
        failed[1] = quality <= np.quantile(quality, case.share)
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
    selected = [Case(*each, selected=True) for each in product(JOBS, REPEATS, SELECTED_SHARES)]
    with ProcessPoolExecutor(2) as pool:
        cases = dropped + selected
        found = dict(zip(cases, pool.map(partial(verdicts, n=n), cases), strict=True))
    print(f"Seed {SEED}; {n} comparisons a cell; three repeats, σ {SIGMA}, τ {TAU}.")
    figures = [f"{jobs} jobs, drop {drop:g}" for jobs, drop in product(JOBS, DROPS)]
    rows = [
        [f"{share:.0%}", *(_said(found[Case(jobs, 3, share, drop)], drop, n) for jobs, drop in product(JOBS, DROPS))]
        for share in SHARES
    ]
    title = "Failures at random: any `regressed`; of equal versions also wisdom `unchanged`"
    print_table(title, ["failed", *figures], rows)
    rows = [
        [f"{share:.0%}", str(jobs), *(
            f"{found[Case(jobs, repeats, share, selected=True)]['improved'] / n:.0%}" for repeats in REPEATS
        )]
        for jobs, share in product(JOBS, SELECTED_SHARES)
    ]  # fmt: skip
    head = ["failed", "jobs", *(plural(repeats, "repeat") for repeats in REPEATS)]
    print_table("A candidate that fails in its worst trials: any `improved`", head, rows)


def _said(counts: Counter[str], drop: float, n: int) -> str:
    regressed = f"{counts['regressed'] / n:.0%}"
    return regressed if drop else f"{regressed}; {counts['unchanged'] / n:.0%}"


if __name__ == "__main__":
    main()
