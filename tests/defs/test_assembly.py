"""The code location as the web UI lists it."""

import dagster as dg

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.stages import EVALUATION
from stoic_assets.defs.assembly import build_definitions


def test_everything_that_the_web_ui_lists_says_what_it_does(workplace: Workplace) -> None:
    definitions = build_definitions(workplace)
    listed = [*(definitions.sensors or ()), *(definitions.schedules or ()), *(definitions.jobs or ())]
    assets = [(spec.key.to_user_string(), spec.description) for spec in definitions.resolve_all_asset_specs()]
    described = [*((each.name, each.description) for each in listed), *assets]
    assert len(described) > 30
    assert [name for name, description in described if not description] == []


def test_whatever_starts_runs_by_itself_is_there_and_switched_on(workplace: Workplace) -> None:
    definitions = build_definitions(workplace)
    ticking = [*(definitions.sensors or ()), *(definitions.schedules or ())]
    started = {each.name: each.default_status.value for each in ticking}
    names = ("new_rating_files", "new_releases", "failed_runs", "lost_runs", "night_watch", "nightly")
    assert started == dict.fromkeys(names, "RUNNING")
    jobs = {job.name: definitions.resolve_job_def(job.name).asset_layer for job in definitions.jobs or ()}
    made = {name: {key.to_user_string() for key in layer.executable_asset_keys} for name, layer in jobs.items()}
    assert made == {
        "release_evaluation": {*EVALUATION}, "night": {"nightly_conversations", "judge_drift"},
        "compaction": {"compact"},
        "ratings_collected": {
            "human_ratings", "rater_reliability", "rater_checks", "judge_calibration", "human_feedback_evaluations",
        },
    }  # fmt: skip


def test_a_run_is_one_process(workplace: Workplace) -> None:
    """Its steps share one graph server and the lock on their evaluation; a process for each takes seconds."""
    assert build_definitions(workplace).executor is dg.in_process_executor
