"""Agreement of judges whose quality is known."""

import warnings
from collections.abc import Callable
from itertools import permutations
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from krippendorff import alpha
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score

from stoic_assets.core.calibration.judge_agreement import MEASURES, agreement, levels
from stoic_assets.core.calibration.paired_scores import PairedScores, paired, panels
from stoic_assets.core.feedback.rating_bridge import rated_trials, rated_virtue
from stoic_assets.core.ratings.rating_table import Floats
from stoic_assets.core.ratings.reliability.estimate import Estimate, Resampling

Found = dict[str, Estimate]
QUICK = Resampling(draws=200, seed=7)


@pytest.fixture
def found(study: Callable) -> Callable[..., Found]:
    """The agreement of a judge by formula."""

    def make(judge: Callable, epsilon: float = 0.2, **size: int) -> Found:
        verdicts, ratings = study(judge, **size)
        rated = rated_virtue("wisdom", rated_trials(ratings), {"helpfulness": "wisdom"})
        return agreement(paired(panels(verdicts)["wisdom", ("gpt",)], rated), epsilon, QUICK)

    return make


def value(found: Found, name: str) -> float:
    estimate = found[name].estimate
    assert estimate is not None, found[name].why
    return estimate


def holds(estimate: Estimate, figure: float) -> bool:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low <= figure <= estimate.high


def pairing(judged: list[float], rated: list[list[float]]) -> PairedScores:
    names = tuple(str(number) for number in range(len(judged)))
    raters = tuple("abcdefgh"[: len(rated[0]) if rated else 0])
    return PairedScores(names, raters, np.array(judged), np.array(rated, dtype=float).reshape(len(names), len(raters)))


def test_a_perfect_judge(found: Callable[..., Found]) -> None:
    perfect = found(lambda people, _: people)
    assert [value(perfect, name) for name in ("spearman", "qwk", "mae", "bias")] == pytest.approx([1, 1, 0, 0])
    assert value(perfect, "alpha_with_judge") > value(perfect, "alpha_people")
    assert value(perfect, "z") > 1
    assert holds(perfect["z"], value(perfect, "z"))
    assert (value(perfect, "winning_rate"), value(perfect, "advantage")) == (1, 1)
    assert (perfect["winning_rate"].low, perfect["winning_rate"].high) == (None, None)
    assert "outcome of a test" in str(perfect["winning_rate"].why)


def test_a_harsh_judge_keeps_the_ranks_and_nothing_else(found: Callable[..., Found]) -> None:
    harsh = found(lambda people, _: people - 0.25)
    assert value(harsh, "spearman") > 0.98
    assert value(harsh, "qwk") < 0.85
    assert value(harsh, "bias") == pytest.approx(-value(harsh, "mae"))
    assert -0.25 <= value(harsh, "bias") < -0.2
    assert value(harsh, "alpha_with_judge") < value(harsh, "alpha_people")
    assert value(harsh, "winning_rate") == 0


def test_a_judge_by_lot(found: Callable[..., Found]) -> None:
    lot = found(lambda _, random: random.random())
    assert holds(lot["spearman"], 0)
    assert holds(lot["qwk"], 0)
    assert holds(lot["bias"], 0)
    assert value(lot, "mae") > 0.25
    assert value(lot, "z") < -2
    assert value(lot, "winning_rate") == 0
    assert value(lot, "advantage") < 0.5
    assert value(found(lambda _, random: random.random(), epsilon=0.9), "winning_rate") == 1, "what is let pass, passes"


def test_one_more_rater_like_the_others_agrees_as_they_do(study: Callable) -> None:
    # The last rater's marks are taken for the judge's.
    _, ratings = study(lambda people, _: people, trials=300, raters=6)
    judged = {row["trial_id"]: [{"score": (row["helpfulness"] - 1) / 4}] for row in ratings if row["rater_id"] == "r5"}
    others = [row for row in ratings if row["rater_id"] != "r5"]
    rated = rated_virtue("wisdom", rated_trials(others), {"helpfulness": "wisdom"})
    found = agreement(paired(judged, rated), 0.2, QUICK)
    assert holds(found["z"], 0)
    assert value(found, "qwk_with_raters") == pytest.approx(value(found, "qwk_among_raters"), abs=0.05)
    assert value(found, "alpha_with_judge") == pytest.approx(value(found, "alpha_people"), abs=0.03)


def test_the_figures_are_those_of_the_libraries() -> None:
    random = np.random.default_rng(5)
    rated = random.integers(0, 5, (60, 3)) / 4
    judged = np.clip(rated.mean(axis=1) + 0.2 * random.normal(size=60), 0, 1)
    found = agreement(pairing(judged.tolist(), rated.tolist()), 0.2, QUICK)
    assert value(found, "spearman") == pytest.approx(spearmanr(judged, rated.mean(axis=1)).statistic)
    marks = [levels(column).astype(int) for column in (judged, *rated.T)]

    def kappa(first: int, second: int) -> float:
        return cohen_kappa_score(marks[first], marks[second], labels=[1, 2, 3, 4, 5], weights="quadratic")

    people = levels(rated.mean(axis=1)).astype(int)
    own = cohen_kappa_score(marks[0], people, labels=[1, 2, 3, 4, 5], weights="quadratic")
    assert value(found, "qwk") == pytest.approx(own)
    assert value(found, "alpha_people") == pytest.approx(alpha(np.array(marks[1:]), level_of_measurement="ordinal"))
    assert value(found, "alpha_with_judge") == pytest.approx(alpha(np.array(marks), level_of_measurement="ordinal"))
    with_raters = np.mean([kappa(0, rater) for rater in (1, 2, 3)])
    among = [np.mean([kappa(rater, other) for other in (1, 2, 3) if other != rater]) for rater in (1, 2, 3)]
    assert value(found, "qwk_with_raters") == pytest.approx(with_raters)
    assert value(found, "z") == pytest.approx((with_raters - np.mean(among)) / np.std(among, ddof=1))


def test_alphas_take_means_that_differ_by_rounding_for_equal() -> None:
    third = [0.3, 0.1 + 0.2]
    assert third[0] != third[1]  # the second is 0.30000000000000004
    found = agreement(pairing([0.5] * 12, [third, third[::-1], [0.8, 0.8]] * 4), 0.2, QUICK)
    assert value(found, "alpha_people") == pytest.approx(1.0)


def test_alphas_distinguish_means_of_two_dimensions_from_the_levels_beside_them() -> None:
    random = np.random.default_rng(6)
    worth = random.integers(0, 9, (80, 1))
    steps = np.clip(worth + random.integers(-2, 3, (80, 4)), 0, 8).astype(float)
    steps[::5, 3] = np.nan
    found = agreement(pairing((steps[:, 0] / 8).tolist(), (steps[:, 1:] / 8).tolist()), 0.2, QUICK)
    assert value(found, "alpha_people") == pytest.approx(alpha(steps[:, 1:].T, level_of_measurement="ordinal"))
    assert value(found, "alpha_with_judge") == pytest.approx(alpha(steps.T, level_of_measurement="ordinal"))


def test_levels_are_the_nearest_halves_upwards() -> None:
    scores = np.array([0, 0.124, 0.125, 0.3, 0.5, 0.874, 0.875, 1, np.nan])
    assert levels(scores)[:-1].tolist() == [1, 1, 2, 2, 3, 4, 5, 5]
    assert np.isnan(levels(scores)[-1])
    assert levels(np.array([0.1, 0.2, 0.3, 0.9]), np.array([0, 0.4, 1])).tolist() == [1, 2, 2, 3]


@pytest.mark.parametrize(
    ("scores", "name", "why"),
    [
        (pairing([], []), "spearman", "no trial was both judged and rated"),
        (pairing([0.5], [[0.5, 0.5, 0.5]]), "spearman", "1 trial: at least 3"),
        (pairing([0.3, 0.5], [[0.5, 0.5, 0.5], [1.0, 0.5, 0.8]]), "qwk", "2 trials: at least 3"),
        (pairing([0.5] * 12, [[0.5, 1.0], *[[0.5, np.nan]] * 11]), "alpha_people", "fewer than two trials were rated"),
        (pairing([0.5] * 12, [[0.5]] * 12), "alpha_people", "fewer than two trials were rated by two people"),
        (pairing([0.5] * 12, [[0.5, np.nan], [np.nan, 1]] * 6), "qwk_among_raters", "fewer than two trials were rated"),
        (pairing([0.5] * 12, [[0.5, np.nan], [np.nan, 1]] * 6), "z", "fewer than two trials were rated by two people"),
        (pairing([0.5] * 3, [[n / 4] * 3 for n in range(3)]), "z", "the raters agree with each other all to the same"),
        (pairing([0.5] * 12, [[0.5, 0.75]] * 12), "z", "2 raters: at least 3 are needed to compare their agreement"),
        *[
            (pairing([0.5] * 12, [[0.5, 0.5, 0.5]] * 12), name, "every score is on the same level")
            for name in ("alpha_people", "alpha_with_judge", "qwk_with_raters", "qwk_among_raters")
        ],
        (pairing([0.5] * 12, [[0.5, 0.5, 0.5]] * 12), "qwk", "gave every reply the same score"),
        (pairing([0.5] * 12, [[0.5, 0.5, 0.5]] * 12), "spearman", "gave every reply the same score"),
        (pairing([0.5] * 12, [[0.5, 0.5, 0.5]] * 12), "winning_rate", "0 raters with 30 judged replies"),
        (pairing([0.5] * 30, [[0.5, 0.75]] * 30), "winning_rate", "2 raters with 30 judged replies shared with others"),
        (pairing([0.5] * 30, [[0.5, 0.75]] * 30), "advantage", "2 raters with 30 judged replies shared with others"),
    ],
)
def test_what_cannot_be_told_says_why(scores: PairedScores, name: str, why: str) -> None:
    found = agreement(scores, 0.2, QUICK)[name]
    assert found.estimate is None
    assert why in str(found.why)


def test_raters_whose_agreement_differs_by_rounding_alone_agree_to_the_same_degree() -> None:
    marks = [(1.0, 0.5, 0.75), (0.25, 0.0, 0.25), (1.0, 1.0, 0.75), (0.25, 0.5, 0.0)]
    rated = [list(turned) for of_item in marks for turned in permutations(of_item)]
    judged = [mean(of_item) for of_item in rated]
    assert agreement(pairing(judged, rated), 0.2, QUICK)["z"].estimate is None


@pytest.mark.parametrize(("shared", "known"), [(9, False), (10, True)])
def test_the_agreement_of_raters_rests_on_the_replies_that_they_share(shared: int, known: bool) -> None:
    random = np.random.default_rng(3)
    rated = random.integers(0, 5, (60, 3)) / 4
    own = np.arange(60)[:, None] % 3 == np.arange(3)
    rated[~own & (np.arange(60) >= shared)[:, None]] = np.nan
    found = agreement(pairing(random.random(60).tolist(), rated.tolist()), 0.2, QUICK)
    for name in ("alpha_people", "qwk_among_raters", "z"):
        value(found, name)
        assert (found[name].low is not None) == known, found[name].why
    assert known or found["alpha_people"].why == "9 items: an interval needs at least 10"
    assert all(found[name].low is not None for name in ("spearman", "alpha_with_judge", "qwk_with_raters"))


def test_so_much_is_enough(found: Callable[..., Found]) -> None:
    three = agreement(pairing([0.0, 0.5, 1.0], [[0.25, 0.0, 0.5], [0.5, 0.5, 0.5], [0.75, 1.0, 0.75]]), 0.2, QUICK)
    assert (value(three, "spearman"), value(three, "qwk")) == (pytest.approx(1), pytest.approx(1, abs=0.5))
    two = agreement(pairing([0.0, 1.0], [[0.25, 0.0], [0.75, 1.0]]), 0.2, QUICK)
    assert value(two, "alpha_people") > 0
    least = found(lambda people, _: people, trials=30, raters=3)
    assert (value(least, "winning_rate"), value(least, "advantage")) == (1, 1)
    below = found(lambda people, _: people, trials=29, raters=3)
    assert below["winning_rate"].why == "0 raters with 30 judged replies shared with others; the test needs 3"


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, np.nan]), min_size=3, max_size=3), max_size=35),
    st.integers(0, 9),
)
def test_no_study_breaks_it_and_nothing_is_nan(rated: list[list[float]], seed: int) -> None:
    rated = [row for row in rated if not np.isnan(row).all()]
    judged: Floats = np.round(np.random.default_rng(seed).random(len(rated)), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = agreement(pairing(judged.tolist(), rated), 0.2, Resampling(draws=20, seed=1))
    assert tuple(found) == MEASURES
    for estimate in found.values():
        numbers = (estimate.estimate, estimate.low, estimate.high)
        assert all(number is None or np.isfinite(number) for number in numbers)
        assert estimate.why if None in numbers else estimate.why is None
