"""Decides the next steps of a night from its record and the known facts. Pure: adapters find the facts and act.

All live versions take part in a first round. If a version is worse than its base, in a measure or in a single
assertion, a second round follows, and only what is worse in both rounds is an alarm: by chance alone some measure may
regress in one night of twenty. What is known from a night held before causes neither a second round nor another alarm.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from stoic_assets.core.comparison.weaker_assertions import stored_as_weaker
from stoic_assets.core.evaluation.next_command import way_to_finish
from stoic_assets.core.evaluation.status import DONE, INCOMPLETE
from stoic_assets.core.nights.night_record import Alarm, Night, Round, night_of, of_assertion, second_round_key
from stoic_assets.core.order_of_releases import ready
from stoic_assets.core.scoring.validity import ceiling_reached, conclusive, too_many_invalid
from stoic_assets.core.table_rows import Row, Rows


@dataclass(frozen=True)
class Facts:
    """What is known about the evaluations of a night, by evaluation id; `comparisons` are of those with a verdict.

    `running` are those that a run works on; `ended` those with a run that ended, successfully or not, since the night
    was last materialised. `tried` are the keys of second rounds whose runs ended, even if they recorded nothing.
    `known`, by version, are the alarms of the night itself, else of the last one held before that compared the version.
    """

    comparisons: Mapping[str, Rows]
    running: Set[str] = frozenset()
    ended: Set[str] = frozenset()
    tried: Set[str] = frozenset()
    known: Mapping[str, Alarm] = field(default_factory=dict)

    def rows(self, version: str, held: Round | None) -> Rows:
        """The comparison of a version in a round; empty where it has none."""
        each = held.evaluations.get(version) if held else None
        return self.comparisons.get(each.evaluation_id, ()) if each else ()

    def reported_before(self, version: str, rows: Rows) -> set[str]:
        """What is known to be worse than in the base in `rows`."""
        alarm = self.known.get(version)
        return alarm.reported if alarm and any(row["base"] == alarm.base for row in rows) else set()

    def is_settled(self, version: str, held: Round) -> bool:
        """Whether a version is done: neither it nor its base will be judged again."""
        each = held.evaluations[version]
        if each.evaluation_id in self.running:
            return False
        base = held.evaluations.get(each.base or "", each)
        judged_before = self.comparisons.keys() - self.running - self.ended
        return each.evaluation_id in self.ended or {each.evaluation_id, base.evaluation_id} <= judged_before


@dataclass(frozen=True)
class Steps:
    """What to do next: versions to evaluate, with their evaluation ids, versions for a second round, alarms to report.

    `known` are alarms to record without reporting them.
    """

    evaluate: dict[str, str]
    again: tuple[str, ...]
    alarms: tuple[Alarm, ...]
    known: tuple[Alarm, ...] = ()


def next_steps(night: Night, facts: Facts) -> Steps:
    """The steps that a night now needs."""
    evaluate = {version: wanted for each in night.rounds for version, wanted in _to_evaluate(each, facts).items()}
    return Steps(evaluate, _to_hold_again(night, facts), _new_alarms(night, facts), _still_known(night, facts))


def is_over(night: Night, facts: Facts) -> bool:
    """Whether every version of a night has its verdict, or will never have one, and no second round is due."""
    return all(_is_settled(held, facts) for held in night.rounds) and not _to_hold_again(night, facts)


def has_verdict(head: Row, threshold: float) -> bool:
    """Whether an evaluation has a verdict; `threshold` is the share of invalid trials, 0–1, that allows one.

    Unlike for a comparison, one that is being judged again keeps the verdict it had: else its night would run it again.
    """
    scored, invalid = head["scored_trials"] or 0, head["invalid_trials"] or 0
    return head["status"] in DONE and conclusive(scored, invalid, threshold)


def no_verdict(head: Row, threshold: float) -> str | None:
    """Why an evaluation that was judged has no verdict, and what to do; None for all others."""
    if head["scored_trials"] is None or has_verdict(head, threshold):
        return None
    invalid, ended = head["invalid_trials"], head["scored_trials"] + head["invalid_trials"]
    if (status := head["status"]) == INCOMPLETE:
        key = (head["agent_version"], head["evaluation_id"])
        return f"no verdict: {ceiling_reached(*key, status, ended, head['planned_trials'])}"
    causes = f"its report names the causes; correct them and {_way_on(head)}"
    return f"no verdict: {too_many_invalid(invalid, ended, threshold)}; {causes}"


def _way_on(head: Row) -> str:
    """How the invalid trials of an evaluation are run and judged again."""
    if night_of(head["evaluation_id"]):
        return "materialise the night again"
    return f"continue with {way_to_finish(head['agent_version'], head['evaluation_id'], head['status'])}"


def regressed_measures(rows: Rows) -> dict[str, Row]:
    """The gating measures that regressed, by name."""
    return {row["measure"]: row for row in rows if row["gating"] and row["verdict"] == "regressed"}


def what_is_worse(rows: Rows) -> set[str]:
    """All that is worse: the gating measures that regressed, and weaker assertions as `of_assertion` names them."""
    return {*regressed_measures(rows), *map(of_assertion, stored_as_weaker(rows))}


def regressed_twice(first: Rows, again: Rows) -> list[Row]:
    """The measures that regressed in both rounds against the same base, with the results of both rounds."""
    before = regressed_measures(first)
    return [
        {
            "measure": measure, "difference": row["difference"], "p_adjusted": row["p_adjusted"],
            "first_difference": before[measure]["difference"], "first_p_adjusted": before[measure]["p_adjusted"],
        }
        for measure, row in regressed_measures(again).items()
        if measure in before and before[measure]["base"] == row["base"]
    ]


def weaker_twice(first: Rows, again: Rows) -> tuple[str, ...]:
    """The assertions that were weaker in both rounds against the same base."""
    before = stored_as_weaker(first)
    return tuple(name for name in stored_as_weaker(again) if name in before and first[0]["base"] == again[0]["base"])


def _is_settled(held: Round, facts: Facts) -> bool:
    return all(facts.is_settled(version, held) for version in held.evaluations)


def _to_evaluate(held: Round, facts: Facts) -> dict[str, str]:
    ids = {version: each.evaluation_id for version, each in held.evaluations.items()}
    running = {version for version, each in ids.items() if each in facts.running}
    wanted = [version for version in ids if version not in running and not facts.is_settled(version, held)]
    bases = {version: each.base for version, each in held.evaluations.items()}
    return {version: ids[version] for version in ready(wanted, bases, running)}


def _to_hold_again(night: Night, facts: Facts) -> tuple[str, ...]:
    """Once the whole first round is settled: the versions that are newly worse, and their bases if they took part.

    If the night was materialised again after a second round without all verdicts: also those of that round. Each is
    tried once.
    """
    if night.first is None or not _is_settled(night.first, facts):
        return ()
    repeated = night.again is not None and night.first.held_at > night.again.held_at
    unfinished = _without_verdict(night.again, facts) if night.again and repeated else ()
    due = tuple(dict.fromkeys([*unfinished, *_newly_worse(night, night.first, facts)]))
    return due if second_round_key(night, due) not in facts.tried else ()


def _newly_worse(night: Night, first: Round, facts: Facts) -> list[str]:
    """The versions that are newly worse and had no part in a second round, and their bases if they took part."""
    tried = {**night.again.evaluations, **night.again.faults} if night.again else {}
    compared = {version: facts.rows(version, first) for version in first.evaluations if version not in tried}
    new = {name for name, rows in compared.items() if what_is_worse(rows) - facts.reported_before(name, rows)}
    bases = {first.evaluations[version].base for version in new}
    return [version for version in first.evaluations if version in new or version in bases]


def _without_verdict(held: Round, facts: Facts) -> tuple[str, ...]:
    """All versions of a round if one of them has no verdict and will get none; else no version."""
    judged = {each.evaluation_id for each in held.evaluations.values()} <= facts.comparisons.keys()
    done = not _is_settled(held, facts) or (judged and not held.faults)
    return () if done else tuple({**held.evaluations, **held.faults})


def _new_alarms(night: Night, facts: Facts) -> tuple[Alarm, ...]:
    if night.first is None or night.again is None:
        return ()
    alarms = []
    for version in night.again.evaluations:
        ids = tuple(each.evaluations[version].evaluation_id for each in night.rounds if version in each.evaluations)
        if (told := night.alarms.get(version)) and told.evaluation_ids == ids:
            continue
        first, again = facts.rows(version, night.first), facts.rows(version, night.again)
        found, before = _confirmed(version, ids, first, again), facts.reported_before(version, again)
        if found.reported - before:
            kept = tuple(sorted((before & what_is_worse(first)) - found.reported))
            alarms.append(found.model_copy(update={"kept": kept}))
    return tuple(alarms)


def _confirmed(version: str, evaluation_ids: tuple[str, ...], first: Rows, again: Rows) -> Alarm:
    """What both rounds found, if only nothing."""
    return Alarm(
        agent_version=version, base=str(again[0]["base"]) if again else "", evaluation_ids=evaluation_ids,
        measures=tuple(regressed_twice(first, again)), assertions=weaker_twice(first, again),
    )


def _still_known(night: Night, facts: Facts) -> tuple[Alarm, ...]:
    """The alarms known from a night before, without what was not found again."""
    found = []
    for version, alarm in facts.known.items():
        rows = facts.rows(version, night.first)
        still = what_is_worse(rows) & facts.reported_before(version, rows)
        if version not in night.alarms and still:
            measures = tuple(each for each in alarm.measures if each["measure"] in still)
            assertions = tuple(each for each in alarm.assertions if of_assertion(each) in still)
            kept = tuple(each for each in alarm.kept if each in still)
            found.append(alarm.model_copy(update={"measures": measures, "assertions": assertions, "kept": kept}))
    return tuple(found)
