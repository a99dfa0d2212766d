"""The judge held against its reference: what raises the alarm, and what is said of two moments."""

import json
import warnings
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from scipy import stats

from stoic_assets.core.comparison.judge_drift import ALARM, Drift, drift, judged_at, measured, moved, unmeasured
from stoic_assets.core.comparison.judge_reference import Mean, Member, Reference
from stoic_assets.core.nights.alerts import judge_moved

REFERENCE = Reference(
    reference_id="r-1", judge_models=("gpt",), rounds=5,
    members=tuple(
        Member(
            trial_id=f"t{number}", agent_version="a@1", evaluation_id="e",
            virtues={"wisdom": Mean(mean=0.7, judgings=5), "courage": Mean(mean=0.5, judgings=5)},
        )
        for number in range(6)
    ),
)  # fmt: skip


def of(scores: Sequence[float], means: Sequence[float], judgings: int = 5) -> Drift:
    pairs = [(score, Mean(mean=mean, judgings=judgings)) for score, mean in zip(scores, means, strict=True)]
    return drift("wisdom", pairs)


def simulated(shift: float, nights: int, transcripts: int = 260, judgings: int = 5) -> list[Drift]:
    """Nights of a judge with noise 0.08 that gives its scores in steps of 0.1."""
    random = np.random.default_rng(20261122)

    def scores(level: np.ndarray, *times: int) -> np.ndarray:
        noisy = level + random.normal(0, 0.08, (*times, *level.shape))
        return np.clip(np.round(noisy * 10) / 10, 0, 1)

    found = []
    for _ in range(nights):
        level = np.clip(random.normal(0.75, 0.12, transcripts), 0, 1)
        found.append(of(scores(level - shift).tolist(), scores(level, judgings).mean(0).tolist(), judgings))
    return found


def test_260_transcripts_find_a_shift_of_three_hundredths() -> None:
    nights = simulated(0.03, 250)
    assert np.mean([night.alarm for night in nights]) == pytest.approx(0.9, abs=0.05)
    assert np.mean([night.shift for night in nights if night.shift]) == pytest.approx(-0.03, abs=0.002)
    assert np.mean([night.detectable for night in nights if night.detectable]) == pytest.approx(0.03, abs=0.003)
    noise = [night.noise_sd for night in nights if night.noise_sd]
    assert np.mean(noise) == pytest.approx(np.sqrt(0.08**2 + 0.1**2 / 12), abs=0.004)


def test_a_judge_that_stays_hardly_ever_raises_the_alarm() -> None:
    nights = simulated(0.0, 200)
    assert sum(night.alarm for night in nights) <= 1
    within = [night.low <= 0 <= night.high for night in nights if night.low is not None and night.high is not None]
    assert np.mean(within) == pytest.approx(0.95, abs=0.04)


@pytest.mark.parametrize(
    ("transcripts", "flips", "at_most"),
    [pytest.param(260, 0.012, 1.0, marks=pytest.mark.long), (40, 0.08, 1.0), (40, 0.08, 0.9)],
)
def test_a_judge_that_deviates_now_and_then_and_near_the_end_of_the_scale_to_one_side_raises_no_alarm(
    transcripts: int, flips: float, at_most: float
) -> None:
    """By the spread of a night's differences alone, one to two nights of a hundred were in alarm."""
    random = np.random.default_rng(20261127)
    usual = np.where(random.random(transcripts) < 0.9, 1.0, at_most)

    def judging() -> list[float]:
        deviation = np.where(random.random(transcripts) < flips, random.choice([-0.1, 0.1], transcripts), 0)
        return np.minimum(usual + deviation, 1.0).tolist()

    def night() -> Drift:
        reference = [Mean() for _ in usual]
        for _ in range(5):
            reference = [mean.including(score) for mean, score in zip(reference, judging(), strict=True)]
        return drift("wisdom", list(zip(judging(), reference, strict=True)))

    assert sum(night().alarm for _ in range(400)) == 0


def test_the_spread_of_the_reference_counts_where_a_night_shows_none() -> None:
    reference = Mean()
    for score in (1.0, 0.9, 1.0, 1.0, 1.0):
        reference = reference.including(score)
    found = drift("wisdom", [(1.0, reference)] * 6)
    noise = np.std([1.0, 0.9, 1.0, 1.0, 1.0], ddof=1)
    assert (found.shift, found.alarm) == (pytest.approx(0.02), False)
    assert found.noise_sd == pytest.approx(noise)
    margin = stats.t.ppf(0.975, 5) * noise * np.sqrt((1 + 1 / 5) / 6)
    assert (found.low, found.high) == (pytest.approx(0.02 - margin), pytest.approx(0.02 + margin))


def test_the_numbers_of_a_night_are_those_of_the_two_sided_t_test() -> None:
    differences = [0.0, -0.02, -0.1, -0.06, 0.02, -0.04]
    found, theirs = of([0.5 + each for each in differences], [0.5] * 6), stats.ttest_1samp(differences, 0.0)
    assert found.p == pytest.approx(theirs.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(theirs.confidence_interval(0.95)))
    critical, true = stats.t.ppf(1 - ALARM / 2, 5), (found.detectable or 0) / stats.sem(differences)
    assert stats.nct.sf(critical, 5, true) == pytest.approx(0.9, abs=0.001)


@pytest.mark.parametrize(
    ("score", "alarm", "p"), [(0.7, False, 1.0), (0.7 + 1e-12, False, 1.0), (0.6, True, 0.0), (0.8, True, 0.0)]
)
def test_a_deterministic_judge_moved_or_did_not(score: float, alarm: bool, p: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = of([score] * 8, [0.7] * 8)
    assert (found.alarm, found.p, found.noise_sd, found.detectable) == (alarm, p, 0.0, 0.0)
    assert found.shift == found.low == found.high == pytest.approx(score - 0.7)


def test_the_noise_of_one_judging_leaves_out_that_of_the_reference() -> None:
    differences = [0.1, -0.1, 0.1, -0.1, 0.0, 0.0]
    spread = float(np.std(differences, ddof=1))
    for judgings in (1, 5):
        found = of([0.5 + each for each in differences], [0.5] * 6, judgings)
        assert found.noise_sd == pytest.approx(spread / np.sqrt(1 + 1 / judgings))
    pairs = [(0.5 + each, Mean(mean=0.5, judgings=1 + 4 * (place % 2))) for place, each in enumerate(differences)]
    assert drift("wisdom", pairs).noise_sd == pytest.approx(spread / np.sqrt(1 + (1 + 1 / 5) / 2))


def test_only_what_both_sides_scored_is_compared() -> None:
    tonight: dict[str, dict[Any, float]] = {f"t{number}": {"wisdom": 0.7, "courage": 0.5} for number in range(5)}
    tonight["t0"].pop("courage")
    tonight["t1"]["justice"] = 0.5
    tonight["unknown"] = {"wisdom": 0.0}
    by_virtue = {each.virtue: each for each in measured(REFERENCE, tonight).drifts}
    assert (by_virtue["wisdom"].transcripts, by_virtue["wisdom"].shift) == (5, 0.0)
    assert (by_virtue["courage"].transcripts, by_virtue["courage"].shift) == (4, None)
    assert by_virtue["courage"].why == "only 4 transcripts with scores to compare; at least 5 are needed"
    assert by_virtue["justice"].transcripts == 0


def test_an_alarm_is_an_event_and_silence_is_none() -> None:
    at = datetime(2026, 11, 22, 2, tzinfo=UTC)
    lower: dict[str, dict[Any, float]] = {f"t{number}": {"wisdom": 0.5, "courage": 0.5} for number in range(6)}
    event = judge_moved(measured(REFERENCE, lower), "drift-1", at)
    assert event is not None
    assert (event.id, event.type, event.subject, event.time) == (
        "drift-1", "stoic.judge_moved", "gpt", "2026-11-22T02:00:00+00:00",
    )  # fmt: skip
    data = json.loads(json.dumps(event.document()))["data"]
    assert data["moved"] == ["wisdom"]
    assert data["drifts"][0]["shift"] == pytest.approx(-0.2)
    assert judge_moved(unmeasured(REFERENCE, "made tonight"), "drift-1", at) is None


# --- two moments ---


def day(number: int) -> datetime:
    return datetime(2026, 11, number, 2, tzinfo=UTC)


def row(on: int, shift: float | None, alarm: bool, virtue: str = "wisdom", reference: str = "r-1") -> dict[str, Any]:
    return {
        "reference_id": reference, "virtue": virtue, "shift": shift, "alarm": alarm, "detectable": 0.03,
        "evaluated_at": day(on),
    }  # fmt: skip


NIGHTS = [
    row(1, None, False), row(2, 0.001, False), row(4, -0.041, True), row(4, -0.05, True, "practical_wisdom"),
    row(6, -0.06, True), row(8, -0.13, True), row(10, 0.002, False),
]  # fmt: skip


@pytest.mark.parametrize(
    ("base", "candidate", "said"),
    [
        (1, 3, None),
        (3, 5, "wisdom −0.04, practical wisdom −0.05 (judge_drift of 2026-11-04)"),
        (1, 4, "wisdom −0.04, practical wisdom −0.05 (judge_drift of 2026-11-04)"),
        (4, 7, None),
        (5, 9, "wisdom −0.09 (judge_drift of 2026-11-08)"),
        (9, 11, "wisdom +0.13 (judge_drift of 2026-11-10)"),
        (5, 3, "wisdom +0.04, practical wisdom +0.05 (judge_drift of 2026-11-04)"),
        (2, 2, None),
    ],
)
def test_two_moments_are_told_apart_by_the_last_night_before_each(base: int, candidate: int, said: str | None) -> None:
    line = moved(reversed(NIGHTS), day(base), day(candidate))
    assert line == (said and f"the judge itself changed between the two evaluations: {said}")


def test_a_new_reference_hides_no_move_and_makes_none() -> None:
    renewed = [row(2, 0.0, False), row(4, -0.04, True), row(5, None, False, "wisdom", "r-2"),
               row(6, 0.0, False, "wisdom", "r-2")]  # fmt: skip
    assert moved(renewed, day(3), day(7)) is not None
    assert moved(renewed, day(4), day(7)) is None


@pytest.mark.parametrize(("back", "said"), [(0.1, None), (0.09, None), (0.04, "wisdom −0.06")])
def test_a_judge_that_moved_and_returned_has_not_changed_though_the_reference_was_renewed(
    back: float, said: str | None
) -> None:
    renewed = [row(4, -0.1, True), row(6, back, True, "wisdom", "r-2")]
    line = moved(renewed, day(3), day(7))
    assert (said in (line or "")) if said else line is None


@pytest.mark.parametrize(("coarser", "told"), [(0.05, False), (0.01, True)])
def test_two_nights_in_alarm_are_told_apart_by_the_coarser_of_them(coarser: float, told: bool) -> None:
    nights = [row(2, -0.06, True) | {"detectable": 0.01}, row(4, -0.09, True) | {"detectable": coarser}]
    for first, second in ((2, 4), (4, 2)):
        assert (moved(nights, day(first), day(second)) is not None) is told


def test_an_alarm_is_told_however_little_the_night_before_it_differed() -> None:
    nights = [row(2, -0.03, False), row(4, -0.05, True)]
    for first, second, change in ((2, 4, "−0.02"), (4, 2, "+0.02")):
        assert f"wisdom {change}" in (moved(nights, day(first), day(second)) or "")


def test_before_any_night_nothing_is_said() -> None:
    assert moved([], day(1), day(2)) is None


def test_the_level_leaves_five_in_a_hundred_for_a_month() -> None:
    assert pytest.approx(0.05) == ALARM * 5 * 30


@pytest.mark.parametrize(
    ("days", "verdicts", "day"),
    [
        ([1, 1, 1, 9], 4, 1),  # one verdict was missing at first
        ([1, 1, 1, 9, 9, 9], 3, 9),  # all were given again
        ([1], 0, 1),
        ([], 3, None),
    ],
)
def test_verdicts_are_of_the_day_on_which_most_of_them_were_given(
    days: list[int], verdicts: int, day: int | None
) -> None:
    call = {"role": "judge", "model": "gpt", "cached": False, "error": None}
    calls = [call | {"time": datetime(2026, 11, each, tzinfo=UTC)} for each in days]
    unknown = [call | {"time": None}, call | {"time": datetime(2026, 11, 20, tzinfo=UTC), "cached": True}]
    another = [call | {"time": datetime(2026, 11, 21, tzinfo=UTC), "model": "tried once"} for _ in range(9)]
    found = judged_at([*calls, *unknown, *another], {"gpt"}, verdicts)
    assert (found and found.day) == day
