"""All of it together: rows in, rows out, and the maps in them."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from stoic_assets.core.calibration.judge_agreement import MEASURES
from stoic_assets.core.calibration.judge_calibration import EDGES, JudgeComparison, judge_calibration
from stoic_assets.core.configuration.settings import Ratings
from stoic_assets.core.judging.confidence_map import calibration_of, why_not_calibrated
from stoic_assets.core.ratings.reliability.estimate import Resampling
from stoic_assets.core.virtues import VIRTUES

Row = dict[str, Any]
Study = Callable[..., tuple[list[Row], list[Row]]]
BRIDGE = Ratings().virtues


def of(found: list[JudgeComparison], virtue: str, judge: str = "gpt") -> JudgeComparison:
    return next(each for each in found if (each.virtue, each.judge) == (virtue, judge))


def test_every_virtue_and_judge_has_every_measure(study: Study, quick: Resampling) -> None:
    verdicts, ratings = study(lambda people, _: people, trials=40, samples=3)
    found = judge_calibration(verdicts, ratings, BRIDGE, 0.2, quick)
    assert [each.virtue for each in found] == list(VIRTUES)
    names = {*MEASURES, *EDGES, "map_spread", "map_self", "ece_spread", "brier_uncalibrated_self"}
    assert all(names <= set(each.measures) for each in found)
    wisdom = of(found, "wisdom")
    assert (wisdom.trials, wisdom.raters) == (40, 4)
    assert wisdom.measures["spearman"].estimate == pytest.approx(1)
    assert set(wisdom.maps) == {"map_spread", "map_self"}


def test_a_virtue_that_no_rating_speaks_of_says_so(study: Study, quick: Resampling) -> None:
    verdicts, ratings = study(lambda people, _: people, trials=40)
    verdicts += [{**row, "virtue": "courage"} for row in verdicts]
    courage = of(judge_calibration(verdicts, ratings, BRIDGE, 0.2, quick), "courage")
    assert courage.measures["qwk"].why == (
        "not calibrated: no dimension of the ratings is mapped to courage (ratings.virtues in stoic.yml)"
    )
    assert courage.measures["spearman_helpfulness"].estimate == pytest.approx(1)
    assert courage.maps == {}
    counts = {row["measure"]: (row["items"], row["raters"]) for row in courage.rows()}
    assert (counts["spearman_helpfulness"], counts["spearman"]) == ((40, 4), (0, 0))


def test_edges_tell_which_dimensions_go_with_a_virtue(study: Study, quick: Resampling) -> None:
    verdicts, ratings = study(lambda people, _: people)
    random = np.random.default_rng(1)
    ratings = [{**row, "helpfulness": int(random.integers(1, 6))} for row in ratings]
    measures = of(judge_calibration(verdicts, ratings, BRIDGE, 0.2, quick), "wisdom").measures
    assert measures["spearman_stoic_authenticity"].low == pytest.approx(1)
    low, high = measures["spearman_helpfulness"].low, measures["spearman_helpfulness"].high
    assert low is not None
    assert high is not None
    assert low < 0 < high


def test_a_dimension_that_raters_left_out_is_compared_where_they_did_not(study: Study, quick: Resampling) -> None:
    verdicts, ratings = study(lambda people, _: people, trials=40)
    marked = [row for row in ratings if row["rater_id"] == "r0" and row["trial_id"] >= "t2"]
    ratings = [row if row in marked else row | {"actionability": None} for row in ratings]
    measures = of(judge_calibration(verdicts, ratings, BRIDGE, 0.2, quick), "wisdom").measures
    worth = {row["trial_id"]: row["score"] for row in verdicts}
    assert measures["spearman_helpfulness"].estimate == pytest.approx(1)
    assert measures["spearman_actionability"].estimate == pytest.approx(
        spearmanr([row["actionability"] for row in marked], [worth[row["trial_id"]] for row in marked]).statistic
    )


def test_models_are_compared_alone_and_together(study: Study, quick: Resampling) -> None:
    low, ratings = study(lambda people, _: people - 0.1, trials=40)
    high = [{**row, "judge_model": "mistral", "score": min(1, row["score"] + 0.2)} for row in low]
    low = [{**row, "sample": 1} for row in low]  # its first sample was lost
    found = judge_calibration([*low, *high], ratings, BRIDGE, 0.2, quick)
    assert [each.judge for each in found if each.virtue == "wisdom"] == ["gpt", "mistral", "gpt,mistral"]
    bias = {judge: of(found, "wisdom", judge).measures["bias"].estimate for judge in ("gpt", "mistral", "gpt,mistral")}
    assert bias["gpt"] < bias["gpt,mistral"] < bias["mistral"]
    assert bias["gpt,mistral"] == pytest.approx((bias["gpt"] + bias["mistral"]) / 2)


def test_verdicts_that_do_not_count_are_left_out(study: Study, verdict: Callable[..., Row], quick: Resampling) -> None:
    verdicts, ratings = study(lambda people, _: people, trials=40)
    noise = [
        verdict("t0", None, judge_model="silent"), verdict("t0", None, sample=5),
        verdict("elsewhere", 0.0, judge_model="other"),
    ]  # fmt: skip
    plain, noisy = (judge_calibration(rows, ratings, BRIDGE, 0.2, quick) for rows in (verdicts, verdicts + noise))
    assert plain == noisy


def test_verdicts_with_another_prompt_are_another_judge(study: Study, quick: Resampling) -> None:
    verdicts, ratings = study(lambda people, _: people, trials=40)
    former = [row | {"prompt_hash": "p2", "score": 0.0} if row["trial_id"] < "t2" else row for row in verdicts]
    usual = [row for row in former if row["prompt_hash"] == "p1"]
    assert 20 < len(usual) < 40
    mixed, alone = (judge_calibration(rows, ratings, BRIDGE, 0.2, quick) for rows in (former, usual))
    assert (of(mixed, "wisdom").measures, of(mixed, "wisdom").trials) == (of(alone, "wisdom").measures, len(usual))


def test_a_panel_of_which_one_judge_got_other_options_is_another_panel(study: Study, quick: Resampling) -> None:
    verdicts, ratings = study(lambda people, _: people, trials=40)
    other = [row | {"judge_model": "sage", "prompt_hash": "p2" if row["trial_id"] < "t2" else "p3"} for row in verdicts]
    found = judge_calibration([*verdicts, *other], ratings, BRIDGE, 0.2, quick)
    trials = {each.judge: each.trials for each in found if each.virtue == "wisdom"}
    late = sum(row["trial_id"] >= "t2" for row in verdicts)
    assert trials == {"gpt": 40, "sage": late, "gpt,sage": late}


def test_verdicts_without_a_known_prompt_are_those_of_one_judge(study: Study, quick: Resampling) -> None:
    verdicts, ratings = study(lambda people, _: people, trials=40)
    former = [row | {"prompt_hash": None} if number % 2 else row for number, row in enumerate(verdicts)]
    assert of(judge_calibration(former, ratings, BRIDGE, 0.2, quick), "wisdom").trials == 20


def test_rows_are_complete_and_hold_the_maps(study: Study, quick: Resampling) -> None:
    verdicts, ratings = study(lambda people, _: people, trials=40, samples=3)
    rows = [row for each in judge_calibration(verdicts, ratings, BRIDGE, 0.2, quick) for row in each.rows()]
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
    assert all(row["why"] or None not in (row["estimate"], row["low"], row["high"]) for row in rows)
    [spearman] = [row for row in rows if (row["virtue"], row["measure"]) == ("wisdom", "spearman")]
    assert (spearman["items"], spearman["raters"], spearman["rubric"]) == (40, 4, None)
    by_rubric = replace(of(judge_calibration(verdicts, ratings, BRIDGE, 0.2, quick), "wisdom"), rubric="r1")
    assert {row["rubric"] for row in by_rubric.rows()} == {"r1"}
    known = calibration_of(rows)
    assert known.map_for("wisdom", ["gpt"], "spread", ["p1"]) is not None
    assert known.map_for("justice", ["gpt"], "spread", ["p1"]) is None


def test_a_score_says_why_it_is_not_calibrated(study: Study, quick: Resampling) -> None:
    verdicts, ratings = study(lambda people, _: people, trials=40)
    rows = [row for each in judge_calibration(verdicts, ratings, BRIDGE, 0.2, quick) for row in each.rows()]
    assert why_not_calibrated(rows, "wisdom", "gpt", "calibrated") is None
    assert why_not_calibrated(rows, "wisdom", "gpt", "spread") == (
        "not calibrated: 30 replies rated by 3 people and with 3 verdicts are needed; there are 0"
    )
    assert "other prompts" in str(why_not_calibrated(rows, "wisdom", "gpt", "self"))
    assert why_not_calibrated(rows, "wisdom", "new", "self") == (
        "not calibrated: this judge has not been compared with people’s ratings yet; "
        "rate replies to a job with `scenarios`, then run `stoic ratings calibrate`"
    )


def test_without_ratings_there_is_nothing_to_compare(study: Study, quick: Resampling) -> None:
    verdicts, _ = study(lambda people, _: people, trials=3)
    assert judge_calibration(verdicts, [], BRIDGE, 0.2, quick) == []


def test_the_order_of_rows_changes_nothing(study: Study, quick: Resampling) -> None:
    verdicts, ratings = study(lambda people, random: random.random(), trials=35, samples=3)
    turned = judge_calibration(verdicts[::-1], ratings[::-1], BRIDGE, 0.2, quick)
    assert turned == judge_calibration(verdicts, ratings, BRIDGE, 0.2, quick)
