"""Calibration from the warehouse into the warehouse, and from there into the next verdicts."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stoic_assets.adapters.ratings import calibration_store
from stoic_assets.adapters.ratings.calibration_store import (
    calibrate,
    calibrate_and_store,
    read_calibration,
    store_calibration,
)
from stoic_assets.adapters.ratings.rating_keys import write_keys
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.configuration.settings import Calibration
from stoic_assets.core.judging.confidence import with_confidence
from stoic_assets.core.judging.scores import VirtueScore
from stoic_assets.core.ratings.blinding import Key

VERSION = "marcus@1.1.0"


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    """35 replies, three verdicts on the wisdom of each, three raters: the judge is right when it agrees with itself."""
    found = open_workplace({"STOIC_HOME": str(tmp_path)}, start=tmp_path)
    random = np.random.default_rng(0)
    verdicts, ratings = [], []
    for number in range(35):
        mark = int(random.integers(1, 6))
        truth = (mark - 1) / 4
        off = [0.0, 0.0, 0.0] if number % 2 else [-0.6, 0.6, 0.5]
        verdicts += [
            {
                "trial_id": f"t{number}", "virtue": "wisdom", "judge_model": "gpt", "sample": sample,
                "score": float(np.clip(truth + change, 0, 1)), "self_confidence": 0.9, "prompt_hash": "p1",
                "exercised": True, "grounded": 1.0,
            }
            for sample, change in enumerate(off)
        ]  # fmt: skip
        ratings += [
            {
                "rater_id": rater, "test_id": f"x{number}", "trial_id": f"t{number}", "appropriateness": mark,
                "helpfulness": mark, "stoic_authenticity": mark, "emotional_intelligence": mark, "overall": "yes",
                "comments": "", "practice": False, "attention": False, "rated_at": "2026-03-01T00:00:00Z",
            }
            for rater in ("anna", "ben", "cleo")
        ]  # fmt: skip
    found.warehouse.write("virtue_scores", VERSION, "night", verdicts)
    found.warehouse.write("human_ratings", VERSION, "night", ratings)
    return found


def test_before_the_first_calibration_there_is_no_map(workplace: Workplace) -> None:
    assert read_calibration(workplace.warehouse).map_for("wisdom", ["gpt"], "spread", ["p1"]) is None


def test_what_was_calibrated_settles_the_next_verdicts(workplace: Workplace) -> None:
    calibrate_and_store(workplace)
    rows = workplace.warehouse.query("select * from judge_calibration where virtue = 'wisdom' and measure = 'spearman'")
    assert [(row["judge_model"], row["items"], row["raters"]) for row in rows] == [("gpt", 35, 3)]
    known = read_calibration(workplace.warehouse)
    same, apart = (
        with_confidence(
            [VirtueScore("new", "wisdom", "gpt", n, "p1", score=score) for n, score in enumerate(scores)], known
        )[0]
        for scores in ((0.5, 0.5, 0.5), (0.0, 1.0, 1.0))
    )
    assert {same.confidence_source, apart.confidence_source} == {"calibrated"}
    assert same.confidence is not None
    assert apart.confidence is not None
    assert same.confidence > 0.9 > 0.5 > apart.confidence


def test_ratings_by_another_rubric_are_not_mixed_in(workplace: Workplace) -> None:
    former = workplace.warehouse.query("select * from human_ratings")
    later = {"rater_id": "dan", "test_id": "y", "rated_at": "2026-04-01T00:00:00Z"}
    workplace.warehouse.write("human_ratings", VERSION, "night", [*former, former[0] | later])
    keys = {"y": Key(origin="reply", rubric="sharper", words=3)}
    write_keys(workplace.project.home, keys)
    compared, _ = calibrate(workplace)
    [found] = {(each.rubric, each.trials, each.raters) for each in compared if each.virtue == "wisdom"}
    assert found == ("sharper", 1, 1)


@pytest.mark.parametrize(("answer", "rubric"), [(2, "sharper"), (3, "sharper"), (3, "former")])
def test_raters_of_these_replies_who_missed_attention_items_are_told_of(
    workplace: Workplace, answer: int, rubric: str
) -> None:
    [rating, *others] = workplace.warehouse.query("select * from human_ratings")
    keys = {row["test_id"]: Key(origin=row["test_id"], rubric="sharper", words=3) for row in (rating, *others)}
    look = Key(origin="attention", rubric=rubric, attention={"helpfulness": 2}, words=3)
    write_keys(workplace.project.home, keys | {"look": look})
    asked = rating | {"test_id": "look", "trial_id": None, "helpfulness": answer, "evaluation_id": "training"}
    rows = [asked | {"rater_id": rater} for rater in ("anna", "elsewhere")]
    workplace.warehouse.write("human_ratings", VERSION, "training", rows)
    calibrated = calibrate_and_store(workplace)
    said = calibrated.inattention
    told = (answer, rubric) == (3, "sharper")
    assert said.startswith("1 of 3 raters missed attention items: ") if told else not said
    assert said in calibrated.report.read_text(encoding="utf-8")


@pytest.mark.parametrize(("epsilon", "rate"), [(0.0, 0.0), (1.0, 1.0)])
def test_the_test_of_the_judge_is_as_strict_as_the_settings(workplace: Workplace, epsilon: float, rate: float) -> None:
    settings = workplace.settings.model_copy(update={"calibration": Calibration(epsilon=epsilon)})
    [wisdom, *_], _ = calibrate(replace(workplace, settings=settings))
    assert (wisdom.virtue, wisdom.measures["winning_rate"].estimate) == ("wisdom", rate)


def test_the_newest_calibration_counts(workplace: Workplace) -> None:
    calibrate_and_store(workplace)
    store_calibration(workplace.warehouse, [])
    assert read_calibration(workplace.warehouse).map_for("wisdom", ["gpt"], "spread", ["p1"]) is None


def test_no_rating_comes_in_while_judges_are_calibrated(
    workplace: Workplace, steps_alone: Callable[..., list[str]]
) -> None:
    functions = ("calibrate", "store_calibration", "write_report")
    called = steps_alone(workplace.project.home, *((calibration_store, name) for name in functions))
    written = calibrate_and_store(workplace)
    assert called == [*functions]
    assert (written.table.exists(), written.report.exists(), len(written.comparisons) > 0) == (True, True, True)
