"""What two evaluations have in common, the notes on it, and when they must not be compared."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from stoic_assets.core.calls.served_models import exchanged
from stoic_assets.core.comparison.failed_trials import failure_note, failures_left_out
from stoic_assets.core.comparison.measures import JUDGED
from stoic_assets.core.comparison.paired_jobs import Scope, cell_of, cells_by_measure
from stoic_assets.core.comparison.side import ComparisonRefused, Side
from stoic_assets.core.evaluation.next_command import judge_again, way_to_finish
from stoic_assets.core.evaluation.status import FINISHED
from stoic_assets.core.grouping import grouped
from stoic_assets.core.jobs.names import job_key, job_of
from stoic_assets.core.judging.silent_judges import silence
from stoic_assets.core.presentation.formatting import listed, percent, plural
from stoic_assets.core.rounding import falls_short
from stoic_assets.core.scoring.validity import too_many_invalid

APART_HOURS = 1.0
"""Versions evaluated further apart may have run under different circumstances; the reader is told."""


@dataclass(frozen=True)
class Common:
    """The `jobs` to compare on.

    `undecidable` gives the reason why a measure can get no verdict, `left_out` the failed trials that a measure leaves
    out.
    """

    jobs: frozenset[str]
    undecidable: Mapping[str, str]
    left_out: Mapping[tuple[str, Scope], str]
    notes: tuple[str, ...]


def common_ground(base: Side, candidate: Side, threshold: float, judge_moved: str | None = None) -> Common:
    """What both evaluations share. Raises `ComparisonRefused` where they allow no comparison at all."""
    for side in (base, candidate):
        _refuse_invalid(side, threshold)
    if base.offline != candidate.offline:
        offline = _named(base if base.offline else candidate)
        raise ComparisonRefused(f"{offline} was judged offline and the other was not; evaluate both alike")
    shared = base.jobs.keys() & candidate.jobs.keys()
    jobs = frozenset(job for job in shared if base.jobs[job] == candidate.jobs[job])
    if not jobs:
        changed = f" in common, but the content of each changed between the two ({listed(sorted(shared))})"
        common = plural(len(shared), "job") + changed if shared else "no job in common"
        raise ComparisonRefused(
            f"{_named(base)} and {_named(candidate)} have {common}; evaluate the base again with the present jobs, or "
            "name other evaluations with --evaluation"
        )
    why = judge_moved or _silent_judge(base, candidate, jobs, threshold) or _other_judge(base, candidate, jobs)
    said = (failure_note(base, candidate, jobs), why)
    notes = (*_suites(base, candidate, shared - jobs), *_circumstances(base, candidate), *filter(None, said))
    undecidable = _measured_by_one(base, candidate, jobs) | (dict.fromkeys(JUDGED, why) if why else {})
    return Common(jobs, undecidable, failures_left_out(base, candidate, jobs), notes)


def _refuse_invalid(side: Side, threshold: float) -> None:
    if side.status != FINISHED:
        again = way_to_finish(side.agent_version, side.evaluation_id, side.status)
        raise ComparisonRefused(f"{_named(side)} is not finished ({side.status}); continue with {again}")
    if not side.scored_trials:
        raise ComparisonRefused(f"{_named(side)} has no scored trial; its report names the causes")
    if side.invalid_share > threshold:
        too_many = too_many_invalid(side.invalid_trials, side.scored_trials + side.invalid_trials, threshold)
        raise ComparisonRefused(f"{_named(side)}: {too_many}; its report names the causes")


def _silent_judge(base: Side, candidate: Side, jobs: Set[str], threshold: float) -> str | None:
    """Why judged measures cannot be compared if a judge answered far less about one side than about the other."""
    before, after = (silence(answer for answer in side.answers if answer.job in jobs) for side in (base, candidate))
    for about, judge in sorted(before.keys() & after.keys()):
        silences = ((before[about, judge].share, base), (after[about, judge].share, candidate))
        (less, other), (more, side) = sorted(silences, key=lambda silence: silence[0])
        if falls_short(threshold, more - less):
            found = f"no verdict on {percent(more)} of the {about} of {side.agent_version}"
            again = f"judge {side.agent_version} again with {_regrade(side, candidate)}"
            return f"judge {judge} gave {found}, and on {percent(less)} of {other.agent_version}; {again}"
    return None


def _other_judge(base: Side, candidate: Side, jobs: Set[str]) -> str | None:
    """Why the judges' scores of both cannot be compared. A side without judges is no reason: all its trials failed."""
    advice = f"judge the base again with {_regrade(base, candidate)}"
    if base.judges and candidate.judges and base.judges != candidate.judges:
        before, after = (", ".join(sorted(side.judges)) for side in (base, candidate))
        return f"the judges differ ({before}; then {after}); {advice}"
    asked_of_both = base.prompts.keys() & candidate.prompts.keys()
    if any(job in jobs and base.prompts[job, about] != candidate.prompts[job, about] for job, about in asked_of_both):
        return f"the judges' prompts, criteria or options differ; {advice}"
    return None


def _measured_by_one(base: Side, candidate: Side, jobs: Set[str]) -> dict[str, str]:
    """Why each measure that only one side has in these jobs cannot be compared."""
    before, after = (cells_by_measure(side.measures, jobs) for side in (base, candidate))
    return {
        measure: f"measured only in {side.agent_version} ({plural(len({job for job, _ in own[measure]}), 'job')})"
        for side, own, other in ((base, before, after), (candidate, after, before))
        for measure in own.keys() - other.keys()
    }


def _regrade(side: Side, candidate: Side, fresh: bool = False) -> str:
    """How to judge a side again, `fresh` without cached verdicts.

    A stored comparison is renewed only when its candidate is judged.
    """
    command = judge_again(side.agent_version, side.evaluation_id, fresh)
    last = judge_again(candidate.agent_version, candidate.evaluation_id)
    return command if side is candidate else f"{command}, and then, to renew the stored comparison, with {last}"


def _suites(base: Side, candidate: Side, changed: Iterable[str]) -> list[str]:
    """Notes on the jobs and conditions that are left out."""
    notes = [
        f"only {side.agent_version} ran {listed(sorted(missing))}; not compared"
        for side, other in ((base, candidate), (candidate, base))
        if (missing := side.jobs.keys() - other.jobs.keys())
    ]
    if changed:
        notes.append(f"changed between the two evaluations and not compared: {listed(sorted(changed))}")
    notes += [
        f"only {side.agent_version} has scored {condition} trials of {listed(jobs)}; not compared"
        for side, other in ((base, candidate), (candidate, base))
        for condition, jobs in _conditions_of_one(side, other).items()
    ]
    if unpaired := _unpaired(base, candidate):
        notes.append(f"measured in only one version, and not compared: {listed(sorted(unpaired))}")
    return notes


def _conditions_of_one(side: Side, other: Side) -> dict[str, list[str]]:
    """The conditions under which only `side` measured jobs that both sides measured, with these jobs."""
    measured, by_other = (set(map(cell_of, each.measures)) for each in (side, other))
    both = {job for job, _ in measured} & {job for job, _ in by_other}
    return grouped((condition, job) for job, condition in sorted(measured - by_other) if job in both)


def _unpaired(base: Side, candidate: Side) -> set[str]:
    """Jobs of both sides in which only one side measured anything."""
    before, after = ({job_key(row) for row in side.measures} for side in (base, candidate))
    both = base.jobs.keys() & candidate.jobs.keys()
    return {job for job in before ^ after if job_of(job) in both}


def _circumstances(base: Side, candidate: Side) -> list[str]:
    notes = []
    earlier, later = sorted((base, candidate), key=lambda side: side.started_at)
    if (hours := (later.started_at - earlier.started_at).total_seconds() / 3600) > APART_HOURS:
        span = f"{hours / 24:.1f} days" if hours >= 24 else f"{hours:.1f} hours"
        notes.append(f"{earlier.agent_version} was evaluated {span} before {later.agent_version}")
    if base.evaluator_model != candidate.evaluator_model:
        notes.append(f"the simulated users differ: {base.evaluator_model}, then {candidate.evaluator_model}")
    notes += _exchanged_models(base, candidate)
    if base.stoic_eval and candidate.stoic_eval and base.stoic_eval != candidate.stoic_eval:
        releases = f"Stoic Eval {base.stoic_eval}, then {candidate.stoic_eval}"
        again = f"compute the base's again with {_regrade(base, candidate)}"
        notes.append(f"the scores are of {releases}, whose rules may differ; {again}")
    before, after = base.built_in_prompts, candidate.built_in_prompts
    if before and after and before != after:
        notes.append("the built-in prompts differ (stoic-eval was updated): simulated users may behave differently")
    invalid = [f"{side.invalid_trials} of {side.agent_version}" for side in (base, candidate) if side.invalid_trials]
    return [*notes, f"invalid trials left out: {', '.join(invalid)}"] if invalid else notes


def _exchanged_models(base: Side, candidate: Side) -> list[str]:
    """Notes on models that changed behind their names. Whether a judge judges otherwise now, `judge_drift` measures."""
    again = f"it may judge differently: judge the base again with {_regrade(base, candidate, fresh=True)}"
    return [
        *(f"the simulated user {each}" for each in exchanged(base.served, candidate.served, "evaluator")),
        *(f"judge {each}; {again}" for each in exchanged(base.served, candidate.served, "judge")),
    ]


def _named(side: Side) -> str:
    return f"{side.agent_version} (evaluation {side.evaluation_id})"
