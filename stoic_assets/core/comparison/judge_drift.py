"""Whether the judge changed: tonight's judging of stored transcripts against its reference, and between two moments.

For each virtue, Student's t over the differences between tonight's score and the reference mean of each transcript;
their noise is at least that of the reference's own judgings. A judge that nearly always gives the same score deviates
now and then, and always to the same side at an end of the scale. Some of that is in the reference, and in a night
without any the differences are tiny and all on one side: by their spread alone, up to nine months of ten would have
raised an alarm for a judge that never changed (simulations: docs/judging.md).

The level of the alarm is 5 % for five virtues and thirty nights together.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from math import sqrt
from statistics import fmean, stdev

from stoic_assets.core.comparison.judge_reference import Judging, Mean, Reference
from stoic_assets.core.comparison.student import TTest, all_alike
from stoic_assets.core.presentation.formatting import difference, plural
from stoic_assets.core.rounding import ROUNDING
from stoic_assets.core.table_rows import Row
from stoic_assets.core.virtues import VIRTUES, Virtue

FEWEST = 5
"""Transcripts below which nothing is measured."""
ALARM = 0.05 / (len(VIRTUES) * 30)
POWER = 0.90
Change = tuple[Row | None, Row | None]
"""The rows of one virtue against one reference at two moments; None before the first night."""


@dataclass(frozen=True)
class Drift:
    """One virtue on one night, over so many `transcripts`.

    `shift` is the mean difference from the reference, −1 to 1, within `low` and `high` with 95 %; `p` is two-sided.
    `noise_sd` is the standard deviation of one judging of the same transcript. `detectable` is the shift that raises
    the alarm with 90 % power. `why` is the reason if there is no measurement.
    """

    virtue: Virtue
    transcripts: int
    shift: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    noise_sd: float | None = None
    detectable: float | None = None
    alarm: bool = False
    why: str | None = None


@dataclass(frozen=True)
class Measurement:
    """One night's measurement of one judge: five virtues compared with one reference."""

    reference_id: str
    judge_models: tuple[str, ...]
    drifts: tuple[Drift, ...]

    @property
    def alarms(self) -> tuple[Drift, ...]:
        """The virtues in which the judge changed."""
        return tuple(drift for drift in self.drifts if drift.alarm)

    def rows(self, evaluated_at: datetime) -> list[Row]:
        """The rows of `judge_drift`."""
        head = {"reference_id": self.reference_id, "judge_models": list(self.judge_models)}
        return [{**head, **asdict(drift), "evaluated_at": evaluated_at} for drift in self.drifts]


def unmeasured(reference: Reference, why: str) -> Measurement:
    """A night without a measurement, and the reason."""
    drifts = tuple(Drift(virtue, len(reference.members), why=why) for virtue in VIRTUES)
    return Measurement(reference.reference_id, reference.judge_models, drifts)


def measured(reference: Reference, tonight: Judging) -> Measurement:
    """Tonight's judging against the reference, over the transcripts that have a score in both."""
    drifts = []
    for virtue in VIRTUES:
        pairs = [
            (scores[virtue], member.virtues[virtue])
            for member in reference.members
            if virtue in member.virtues and virtue in (scores := tonight.get(member.trial_id, {}))
        ]
        drifts.append(drift(virtue, pairs))
    return Measurement(reference.reference_id, reference.judge_models, tuple(drifts))


def drift(virtue: Virtue, pairs: Sequence[tuple[float, Mean]]) -> Drift:
    """The drift over pairs of a score and the reference mean of the same transcript.

    Without any noise the judge is deterministic: no difference anywhere is no alarm, the same one everywhere is.
    """
    count = len(pairs)
    if count < FEWEST:
        compared = f"only {plural(count, 'transcript')} with scores to compare"
        return Drift(virtue, count, why=f"{compared}; at least {FEWEST} are needed")
    differences, reference = [score - known.mean for score, known in pairs], [known for _, known in pairs]
    noise = _noise(reference)
    if all_alike(differences) and noise < ROUNDING:
        shift = fmean(differences)
        alarm = abs(shift) > ROUNDING
        return Drift(virtue, count, shift, shift, shift, float(not alarm), 0.0, 0.0, alarm)
    return _tested(virtue, differences, noise, fmean(1 / known.judgings for known in reference))


def _noise(reference: Sequence[Mean]) -> float:
    """The standard deviation of one judging of the same transcript, pooled over the reference's judgings."""
    freedom = sum(known.judgings - 1 for known in reference)
    return sqrt(sum(known.squares for known in reference) / freedom) if freedom else 0.0


def _tested(virtue: Virtue, differences: Sequence[float], noise: float, reference_share: float) -> Drift:
    """The t test. A difference has the variance of one judging plus, `reference_share` of it, that of the reference."""
    count, of_one = len(differences), sqrt(1 + reference_share)
    spread = max(stdev(differences), noise * of_one)
    found = TTest(fmean(differences), spread / sqrt(count), count - 1)
    p = 2 * min(found.p_less, found.p_greater)
    return Drift(
        virtue, count, found.mean, *found.interval(0.95), p, noise_sd=spread / of_one,
        detectable=found.detectable(ALARM / 2, POWER), alarm=p < ALARM,
    )


def judged_at(calls: Iterable[Row], judge_models: Collection[str], verdicts: int) -> datetime | None:
    """When these judges gave so many verdicts, by the rows of `llm_calls`; None where no call tells its time.

    Verdicts that are made again from cached replies are as old as these. Of the last calls, as many as there are
    verdicts, the middle one counts: one that was missing may have been given much later than the others.
    """
    times = [call["time"] for call in calls if call["model"] in judge_models and _gave_verdict(call)]
    last = sorted(times)[-max(1, verdicts) :]
    return last[len(last) // 2] if last else None


def _gave_verdict(call: Row) -> bool:
    return call["role"] == "judge" and not call["cached"] and call["error"] is None and call["time"] is not None


def moved(measurements: Iterable[Row], base_judged_at: datetime, candidate_judged_at: datetime) -> str | None:
    """One line when the judge changed between two moments, by the rows of `judge_drift`; else None.

    At each moment the last measurement so far against each reference counts; before the first one the judge is assumed
    to agree with its reference. It changed in a virtue when only one of the two moments is in alarm, or when both are
    and their shifts differ by more than is detectable. Where the reference was renewed in between, the changes against
    each are added: a judge that moved and returned has not changed.
    """
    known = [row for row in measurements if row["shift"] is not None]
    before, after = _states(known, base_judged_at), _states(known, candidate_judged_at)
    changed: dict[Virtue, list[Change]] = {virtue: [] for virtue in VIRTUES}
    for key in before | after:
        if _differ(old := before.get(key), new := after.get(key)):
            changed[key[1]].append((old, new))
    told = {virtue: changes for virtue, changes in changed.items() if changes and not _cancel_out(changes)}
    if not told:
        return None
    said = [f"{virtue.replace('_', ' ')} {difference(_sum(changes))}" for virtue, changes in told.items()]
    day = max(row["evaluated_at"] for changes in told.values() for pair in changes for row in pair if row).date()
    return f"the judge itself changed between the two evaluations: {', '.join(said)} (judge_drift of {day})"


def _cancel_out(changes: Sequence[Change]) -> bool:
    finest = max(row["detectable"] for pair in changes for row in pair if row)
    return len(changes) > 1 and abs(_sum(changes)) <= max(finest, ROUNDING)


def _sum(changes: Sequence[Change]) -> float:
    return sum(_shift(new) - _shift(old) for old, new in changes)


def _states(measurements: Iterable[Row], moment: datetime) -> dict[tuple[str, Virtue], Row]:
    """The last measurement of each virtue against each reference by that moment."""
    until = [row for row in measurements if row["evaluated_at"] <= moment]
    ordered = sorted(until, key=lambda row: row["evaluated_at"])
    return {(row["reference_id"], row["virtue"]): row for row in ordered}


def _differ(old: Row | None, new: Row | None) -> bool:
    if not (_in_alarm(old) and _in_alarm(new)):
        return _in_alarm(old) != _in_alarm(new)
    finest = max(row["detectable"] for row in (old, new) if row)
    return bool(abs(_shift(new) - _shift(old)) > max(finest, ROUNDING))


def _in_alarm(state: Row | None) -> bool:
    return bool(state and state["alarm"])


def _shift(state: Row | None) -> float:
    return state["shift"] if state else 0.0
