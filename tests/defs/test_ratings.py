"""The assets of what people judge, materialised over a small study; and the sensor that starts them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from stoic_assets.adapters.ratings import ratings_store
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.defs import ratings
from stoic_assets.defs.asset_metadata import DECIMALS, MOST_ROWS
from stoic_assets.defs.ratings import (
    RatingPageConfig,
    human_feedback_evaluations,
    human_ratings,
    judge_calibration,
    new_rating_files,
    rating_analysis,
    rating_pages,
)

DIMENSIONS = ("appropriateness", "helpfulness", "stoic_authenticity", "emotional_intelligence", "actionability")
FEEDBACK = {
    "agent_version": "marcus@1.0.0", "task_id": "reminders", "overall_satisfaction": 0.4,
    "interpretation_confidence": 0.9,
    "dimension_feedback": [
        {"dimension": "accuracy", "score": 0.2, "confidence": 0.8, "supporting_quotes": ["it was wrong"]},
        {"dimension": "sparkle", "score": 0.9, "confidence": 0.5},
    ],
}  # fmt: skip
STUDY = [human_ratings, rating_analysis, judge_calibration, human_feedback_evaluations]
FEEDBACK_STUDY = [human_ratings, human_feedback_evaluations]


def send(workplace: Workplace, rater: str, marks: list[int]) -> None:
    ratings = [
        {
            "test_id": f"item-{place}", "rater_id": rater, "timestamp": "2026-11-25T09:30:00Z",
            "ratings": dict.fromkeys(DIMENSIONS, mark), "overall": "maybe", "comments": "",
        }
        for place, mark in enumerate(marks)
    ]
    folder = workplace.project.home / "ratings"
    folder.mkdir(exist_ok=True)
    (folder / f"{rater}.json").write_text(json.dumps(ratings))


def say(workplace: Workplace, feedback: dict[str, Any], name: str = "one") -> None:
    folder = workplace.project.home / "feedback"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(feedback))


def materialise(
    workplace: Workplace, assets: Sequence[dg.AssetsDefinition] = STUDY, selection: dg.AssetSelection | None = None
) -> dict[str, dict[str, Any]]:
    result = dg.materialize(assets, resources={"workplace": workplace}, selection=selection)
    events = [event.materialization for event in result.get_asset_materialization_events()]
    return {each.asset_key.to_user_string(): {k: v.value for k, v in each.metadata.items()} for each in events}


def test_what_raters_sent_becomes_figures(workplace: Workplace) -> None:
    send(workplace, "ann", [1, 2, 3, 4, 5, 1])
    send(workplace, "ben", [1, 2, 3, 4, 4, 2])
    found = materialise(workplace)
    assert (found["human_ratings"]["new"], found["human_ratings"]["unknown"]) == (12, 12)
    assert 0.5 < (alpha := found["rater_reliability"]["alpha_helpfulness"]) <= 1
    assert alpha == round(alpha, DECIMALS)
    assert found["rater_reliability"]["gate_helpfulness"] == "unknown"
    assert Path(found["rater_reliability"]["report"]).read_text().startswith("<!doctype html>")
    assert found["rater_checks"]["dagster/row_count"] == len(workplace.warehouse.query("select * from rater_checks"))
    not_checked = found["rater_checks"]["not_checked"]
    assert not_checked.startswith("outlier: no item has marks of three raters; too_fast: no rating has")
    assert found["judge_calibration"]["calibrated"] == 0
    assert "No reply has both" in Path(found["judge_calibration"]["report"]).read_text(encoding="utf-8")
    assert materialise(workplace, [human_ratings])["human_ratings"]["unchanged"] == 12


def test_what_was_sent_is_imported_before_anything_is_made_of_it(workplace: Workplace) -> None:
    send(workplace, "ann", [1, 2])
    result = dg.materialize([*reversed(STUDY)], resources={"workplace": workplace})
    made = [event.materialization.asset_key.to_user_string() for event in result.get_asset_materialization_events()]
    assert (made[0], len(made)) == ("human_ratings", 5)
    send(workplace, "ben", [9])  # no mark
    result = dg.materialize(STUDY, resources={"workplace": workplace}, raise_on_error=False)
    assert not list(result.get_asset_materialization_events())


def test_feedback_files_become_evaluations_and_events(workplace: Workplace) -> None:
    send(workplace, "ann", [3])
    say(workplace, FEEDBACK)
    found = materialise(workplace, FEEDBACK_STUDY)["human_feedback_evaluations"]
    assert found["unmapped_dimensions"] == "sparkle"
    [row] = workplace.warehouse.query("select * from human_feedback_evaluations where task_id = 'reminders'")
    assert json.loads(row["virtue_scores"])["wisdom"]["score"] == pytest.approx(0.2)
    [event] = workplace.warehouse.query("select * from events")
    assert event["type"] == "agent.evaluation.stoic_completed"
    assert json.loads(event["data"])["evaluation"]["source"] == "human"


def test_what_a_webhook_does_not_take_is_told(workplace: Workplace) -> None:
    send(workplace, "ann", [3])
    assert materialise(workplace, FEEDBACK_STUDY)["human_feedback_evaluations"]["delivery_faults"] == "none"
    unheard = replace(workplace, env={**workplace.env, "STOIC_WEBHOOK_URL": "ftp://nobody"})
    say(workplace, FEEDBACK)
    found = materialise(unheard, FEEDBACK_STUDY)["human_feedback_evaluations"]
    assert "STOIC_WEBHOOK_URL" in found["delivery_faults"]


def test_names_and_complaints_set_up_no_markup(workplace: Workplace) -> None:
    send(workplace, "[ann](x)", [5] * 12)
    send(workplace, "ben", [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2])
    say(workplace, {}, "<b>")
    found = materialise(workplace, [rating_analysis, *FEEDBACK_STUDY])
    assert r"- \[ann\](x): " in found["rater_checks"]["flags"]
    assert r"\<b\>.json" in found["human_feedback_evaluations"]["complaints"]


def test_of_a_calibration_dagster_keeps_the_first_rows_alone(workplace: Workplace) -> None:
    rating = {
        "rater_id": "ann", "test_id": "x1", "trial_id": "t1", **dict.fromkeys(DIMENSIONS, 4), "overall": "yes",
        "comments": "", "practice": False, "attention": False, "rated_at": "2026-11-25T09:30:00Z",
    }  # fmt: skip
    verdict = {"trial_id": "t1", "virtue": "wisdom", "judge_model": "sage", "sample": 0, "score": 0.5}
    workplace.warehouse.write("human_ratings", "marcus@1.0.0", "night", [rating])
    workplace.warehouse.write("virtue_scores", "marcus@1.0.0", "night", [verdict])
    result = dg.materialize([judge_calibration], resources={"workplace": workplace})
    [found] = [event.materialization.metadata for event in result.get_asset_materialization_events()]
    assert found["dagster/row_count"].value > MOST_ROWS == len(found["measures"].records)


def test_where_there_is_nothing_to_rate_the_run_goes_on_and_says_why(workplace: Workplace) -> None:
    send(workplace, "ann", [1, 2])
    found = materialise(workplace, [rating_pages, human_ratings])
    assert (found["rating_pages"]["replies"], found["human_ratings"]["new"]) == (0, 2)
    assert found["rating_pages"]["why"].startswith("nothing was evaluated yet")


def test_a_page_for_a_named_version_is_not_quietly_left_out(workplace: Workplace) -> None:
    config = dg.RunConfig({"rating_pages": RatingPageConfig(agent_versions=["marcus@9"])})
    failed = dg.materialize([rating_pages], resources={"workplace": workplace}, run_config=config, raise_on_error=False)
    failure = failed.failure_data_for_node("rating_pages")
    assert failure is not None
    assert failure.user_failure_data is not None
    assert "marcus@9 has no replies to rate" in (failure.user_failure_data.description or "")


@pytest.mark.parametrize(("about", "told"), [("People wrote to Ada.", "People wrote to Ada."), ("", None)])
def test_raters_are_told_whom_people_wrote_to(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, about: str, told: str | None
) -> None:
    asked: list[tuple[list[str], str | None]] = []

    def build(_: Workplace, versions: list[str], about: str | None = None) -> ratings_store.Built:
        asked.append((versions, about))
        return ratings_store.Built(Path("/page.html"), "p1", 1, 0, 2, Path("/keys.json"))

    monkeypatch.setattr(ratings_store, "build", build)
    config = dg.RunConfig({"rating_pages": RatingPageConfig(agent_versions=["a@1"], about=about)})
    assert dg.materialize([rating_pages], resources={"workplace": workplace}, run_config=config).success
    assert asked == [(["a@1"], told)]


def test_without_ratings_the_analysis_says_what_to_do(workplace: Workplace) -> None:
    found = materialise(workplace, [rating_analysis])
    for asset in ("rater_reliability", "rater_checks"):
        assert "stoic ratings collect" in found[asset]["why"]


@pytest.mark.parametrize("asset", ["rater_reliability", "rater_checks"])
def test_one_part_of_the_analysis_can_be_made_alone(workplace: Workplace, asset: str) -> None:
    send(workplace, "ann", [1, 2])
    materialise(workplace, [human_ratings])
    [(made, metadata)] = materialise(workplace, [rating_analysis], dg.AssetSelection.assets(asset)).items()
    assert (made, metadata["page_id"]) == (asset, "elsewhere")


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def look(workplace: Workplace, instance: dg.DagsterInstance) -> Any:
    """What the sensor says to the folder as it stands."""
    with dg.build_sensor_context(instance, resources={"workplace": workplace}) as context:
        return new_rating_files(context)


def run(workplace: Workplace, instance: dg.DagsterInstance, request: dg.RunRequest) -> bool:
    """What the daemon does with a request; whether the run succeeded."""
    resources = {"workplace": workplace}
    return dg.materialize(
        [human_ratings], resources=resources, instance=instance, tags=request.tags, raise_on_error=False
    ).success


def test_the_sensor_runs_once_for_each_state_of_the_folder(workplace: Workplace, instance: dg.DagsterInstance) -> None:
    assert isinstance(look(workplace, instance), dg.SkipReason)
    send(workplace, "ann", [1, 2])
    first = look(workplace, instance)
    assert run(workplace, instance, first)
    assert isinstance(look(workplace, instance), dg.SkipReason)
    send(workplace, "ben", [1, 2])
    assert look(workplace, instance).run_key != first.run_key


def test_a_run_that_failed_is_tried_again_after_a_pause(
    workplace: Workplace, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(workplace, "ann", [9])
    first = look(workplace, instance)
    assert not run(workplace, instance, first)
    assert isinstance(look(workplace, instance), dg.SkipReason)
    monkeypatch.setattr(ratings, "PAUSE", timedelta(0))
    second = look(workplace, instance)
    assert second.run_key != first.run_key
    assert not run(workplace, instance, second)
    assert not run(workplace, instance, look(workplace, instance))
    assert isinstance(look(workplace, instance), dg.SkipReason)


def test_the_sensor_is_on_and_a_database_can_index_what_it_asks_for(
    workplace: Workplace, instance: dg.DagsterInstance
) -> None:
    assert new_rating_files.default_status == dg.DefaultSensorStatus.RUNNING
    for number in range(150):
        send(workplace, f"rater-{number}", [3])
    request = look(workplace, instance)
    assert len(str(request)) < 1000
