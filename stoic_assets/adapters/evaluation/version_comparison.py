"""Selects stored evaluations of two versions and compares them; nothing is evaluated here."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from stoic_assets.adapters.disk.release_files import load_releases, releases_by_version, with_faulty
from stoic_assets.adapters.evaluation.comparison_side import read_side
from stoic_assets.adapters.evaluation.judge_drift import judge_moved
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.comparison.choice import Case, Stored, fuller, most_alike, passed_over, repeated
from stoic_assets.core.comparison.comparison import Comparison, compare
from stoic_assets.core.comparison.paired_assertions import REPEATED
from stoic_assets.core.comparison.side import ComparisonRefused, Side
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.next_command import resume, way_to_finish
from stoic_assets.core.evaluation.status import DONE
from stoic_assets.core.grouping import grouped
from stoic_assets.core.order_of_releases import base_of
from stoic_assets.core.scoring.validity import conclusive
from stoic_assets.core.table_rows import Row

RECENT = 100
"""Evaluations of a version among which one is chosen: with 1,000 on both sides, comparing all pairs would take 5 s."""


def base_version(workplace: Workplace, manifest: Manifest) -> str | None:
    """The version that an evaluation is compared with: the first parent, else the release before it.

    For one of a night it is the version that was its base when the night was held, or none, whatever `releases/` says
    since.
    """
    recorded = workplace.nights.base_of(manifest.evaluation_id)
    if recorded != "":
        return recorded
    if manifest.parents:
        return manifest.parents[0]
    return base_of(manifest.agent_version, with_faulty(*load_releases(workplace.project.releases)).values())


def is_first_under_way(workplace: Workplace, agent_version: str) -> bool:
    """Whether a version has no finished evaluation yet, but another process is making one."""
    finished = any(row["status"] in DONE for row in workplace.warehouse.evaluations(agent_version))
    return not finished and bool(workplace.evidence.is_being_evaluated(agent_version))


def compare_versions(
    workplace: Workplace, base: str, candidate: str, base_id: str | None = None, candidate_id: str | None = None,
    held_with: str | None = None,
) -> Comparison:
    """Compares two versions in the named evaluations, else in those that `most_alike` finds; notes mention newer ones.

    Without a release manifest a candidate may be a different agent in each evaluation, so its newest counts. If the
    base's evaluation `held_with` the candidate's is finished, newer ones do not count: they ran at another time. Raises
    `ComparisonRefused`, `ConfigurationError`.
    """
    candidates = _stored(workplace, candidate, candidate_id, base)[:RECENT]
    bases = _until(_stored(workplace, base, base_id, candidate), held_with)[:RECENT]
    best = most_alike(bases, candidates)
    released = candidate in releases_by_version(workplace.project.releases)
    chosen = best if released else most_alike(bases, candidates[:1])
    said = (
        passed_over(bases[0], *chosen), passed_over(candidates[0], *reversed(chosen)), fuller(chosen, best),
        repeated(chosen, bases, candidates),
    )
    before, after = (read_side(workplace, each.agent_version, each.evaluation_id) for each in chosen)
    found = compare_sides(workplace, before, after)
    return replace(found, notes=(*filter(None, said), *found.notes))


def compare_sides(workplace: Workplace, base: Side, candidate: Side) -> Comparison:
    """Compares two sides by the settings of the project. Raises `ComparisonRefused`."""
    settings, moved = workplace.settings, moved_between(workplace, base, candidate)
    return compare(base, candidate, settings.minimal_differences, settings.invalid_trials_threshold, moved)


def moved_between(workplace: Workplace, base: Side, candidate: Side) -> str | None:
    """Whether the judge itself moved between the two, by `judge_drift`. Different judges are reported as such."""
    if base.judges and base.judges != candidate.judges:
        return None
    return judge_moved(workplace, base.judged_at, candidate.judged_at, candidate.judges)


def store_comparison(workplace: Workplace, manifest: Manifest, comparison: Comparison | None) -> Path:
    """Writes the comparison under the candidate's evaluation; without one the table has no rows."""
    rows = comparison.rows() if comparison else []
    return workplace.warehouse.write("version_comparisons", *manifest.key, rows)


def _cases(rows: Sequence[Row]) -> tuple[dict[Case, str], set[Case]]:
    """The hash of the job of each case, and the cases with several trials under one condition."""
    held = {(row["job"], row["scenario"]): row for row in rows}
    return (
        {case: row["job_hash"] for case, row in held.items()},
        {case for case, row in held.items() if row["repeats"] >= REPEATED},
    )


def _stored(workplace: Workplace, agent_version: str, named: str | None, other: str) -> list[Stored]:
    """The evaluations of a version among which one is chosen to compare with `other`'s. Raises as `_heads` does."""
    heads = _heads(workplace, agent_version, named, other)
    held = grouped((trial["evaluation_id"], trial) for trial in workplace.warehouse.jobs(agent_version))
    threshold = workplace.settings.invalid_trials_threshold
    return [
        Stored(
            agent_version, row["evaluation_id"], row["offline"],
            conclusive(row["scored_trials"] or 0, row["invalid_trials"] or 0, threshold),
            *_cases(held[row["evaluation_id"]]),
        )
        for row in heads
    ]


def _heads(workplace: Workplace, agent_version: str, named: str | None, other: str) -> list[Row]:
    """The rows of the named evaluation, or of all of a version that were ever finished, the newest first.

    One that is being judged again allows no comparison, and no older one replaces it. When there is none, raises
    `ComparisonRefused` if one was begun, else `ConfigurationError`, as when the deletion of the version has begun.
    """
    workplace.evidence.refuse_being_deleted(agent_version)
    rows = workplace.warehouse.evaluations(agent_version)
    wanted = [row for row in rows if row["evaluation_id"] == named or (named is None and row["status"] in DONE)]
    if not wanted:
        evidence = workplace.evidence
        begun = evidence.readable(agent_version, named) if named else rows or evidence.manifests(agent_version)
        error = ComparisonRefused if begun else ConfigurationError
        raise error(f"{agent_version}: {_why_none(workplace, agent_version, named, rows, other)}")
    return wanted


def _why_none(
    workplace: Workplace, agent_version: str, named: str | None, rows: Sequence[Row], other: str
) -> str:
    """Why none of a version's evaluations can be compared, and what to do."""
    if workplace.evidence.is_being_evaluated(agent_version, named):
        which = f"its evaluation {named}" if named else "its newest evaluation"
        return f"{which} is being run by another process; once that has ended, compare again"
    if named and workplace.evidence.readable(agent_version, named):
        return f"its evaluation {named} was cut short; continue with {resume(agent_version, named)}"
    if named:
        return f"it has no evaluation {named}; run `stoic eval --agent-version {agent_version}`"
    if not rows:
        return f"it {workplace.unevaluated(agent_version, other)}"
    evaluation_id, status = rows[0]["evaluation_id"], rows[0]["status"]
    return f"its newest evaluation is {status}; continue with {way_to_finish(agent_version, evaluation_id, status)}"


def _until(evaluations: list[Stored], held_with: str | None) -> list[Stored]:
    """The evaluations up to `held_with`, or only that one if few enough of its trials are invalid."""
    ids = [each.evaluation_id for each in evaluations]
    if held_with not in ids:
        return evaluations
    until = evaluations[ids.index(held_with) :]
    return until[:1] if until[0].conclusive else until
