"""Whether the judge changed: tonight's judging of stored transcripts against its reference, and between two moments.

For each virtue, Student's t over the differences between tonight's score and the reference mean of each transcript.
The level of the alarm is 5 % for five virtues and thirty nights together; sample sizes come from simulations
(docs/judging.md).
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from math import sqrt
from statistics import fmean, stdev

from stoic_assets.core.comparison.judge_reference import Judged, Mean, Reference
from stoic_assets.core.comparison.student import all_alike, quantile, t_test
from stoic_assets.core.presentation.formatting import difference, plural
from stoic_assets.core.rounding import ROUNDING
from stoic_assets.core.table_rows import Row
from stoic_assets.core.virtues import VIRTUES, Virtue

FEWEST = 5
"""Transcripts below which nothing is measured."""
ALARM = 0.05 / (len(VIRTUES) * 30)
POWER = 0.90


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


def measured(reference: Reference, tonight: Judged) -> Measurement:
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

    Without any spread the judge is deterministic: no difference anywhere is no alarm, the same one everywhere is.
    """
    count = len(pairs)
    if count < FEWEST:
        compared = f"only {plural(count, 'transcript')} with scores to compare"
        return Drift(virtue, count, why=f"{compared}; at least {FEWEST} are needed")
    differences = [score - known.mean for score, known in pairs]
    if all_alike(differences):
        shift = fmean(differences)
        alarm = abs(shift) > ROUNDING
        return Drift(virtue, count, shift, shift, shift, float(not alarm), 0.0, 0.0, alarm)
    return _tested(virtue, differences, fmean(1 / known.judgings for _, known in pairs))


def _tested(virtue: Virtue, differences: Sequence[float], reference_share: float) -> Drift:
    """The t test. A difference has the variance of one judging plus, `reference_share` of it, that of the reference."""
    count, spread = len(differences), stdev(differences)
    found = t_test(differences)
    p = 2 * min(found.p_less, found.p_greater)
    needed = quantile(found.freedom, 1 - ALARM / 2) + quantile(found.freedom, POWER)
    return Drift(
        virtue, count, found.mean, *found.interval(0.95), p, noise_sd=spread / sqrt(1 + reference_share),
        detectable=needed * found.error, alarm=p < ALARM,
    )


def judged_at(calls: Iterable[Row], verdicts: int) -> datetime | None:
    """When the judges gave so many verdicts, by the rows of `llm_calls`; None where no call tells its time.

    Verdicts that are made again from cached replies are as old as these. Of the last calls, as many as there are
    verdicts, the middle one counts: one that was missing may have been given much later than the others.
    """
    times = [call["time"] for call in calls if _gave_verdict(call)]
    last = sorted(times)[-max(1, verdicts) :]
    return last[len(last) // 2] if last else None


def _gave_verdict(call: Row) -> bool:
    return call["role"] == "judge" and not call["cached"] and call["error"] is None and call["time"] is not None


def moved(measurements: Iterable[Row], base_judged_at: datetime, candidate_judged_at: datetime) -> str | None:
    """One line when the judge changed between two moments, by the rows of `judge_drift`; else None.

    At each moment the last measurement so far against each reference counts; before the first one the judge is assumed
    to agree with its reference. It changed in a virtue when only one of the two moments is in alarm, or when both are
    and their shifts differ by more than is detectable.
    """
    known = [row for row in measurements if row["shift"] is not None]
    before, after = _states(known, base_judged_at), _states(known, candidate_judged_at)
    pairs = [(before.get(key), after.get(key)) for key in before | after]
    changed = [(old, new) for old, new in pairs if _differ(old, new)]
    changes = dict.fromkeys(VIRTUES, 0.0)
    for old, new in changed:
        changes[(new or old or {})["virtue"]] += _shift(new) - _shift(old)
    said = [f"{virtue.replace('_', ' ')} {difference(change)}" for virtue, change in changes.items() if change]
    if not said:
        return None
    day = max(row["evaluated_at"] for pair in changed for row in pair if row).date()
    return f"the judge itself changed between the two evaluations: {', '.join(said)} (judge_drift of {day})"


def _states(measurements: Iterable[Row], moment: datetime) -> dict[tuple[str, str], Row]:
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
