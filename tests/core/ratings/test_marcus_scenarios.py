"""The scenarios that ship with the product: what they hold, and that none of it gives the answer away."""

from pathlib import Path

import pytest

from stoic_assets.adapters.disk.job_files import load_jobs
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import Scenario
from stoic_assets.core.jobs.plan import plan

FOLDER = Path(__file__).parents[3] / "eval_jobs"
JOBS = load_jobs(sorted(FOLDER.glob("marcus_*.yml")))
SCENARIOS = [scenario for job in JOBS for scenario in job.scenarios]
STRATEGIES = {"supportive", "validating", "reflective", "challenging", "energizing", "practical"}
DIRECTIONS = {"increase", "decrease", "stable"}


def test_there_are_eighty_in_three_suites() -> None:
    assert {job.name: len(job.scenarios) for job in JOBS} == {
        "marcus_effectiveness": 35, "marcus_strategies": 30, "marcus_patterns": 15,
    }
    assert len({scenario.id for scenario in SCENARIOS}) == len({scenario.input for scenario in SCENARIOS}) == 80


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_a_suite_makes_one_short_trial_of_each(job: Job) -> None:
    assert job.tags == ("marcus",)
    assert job.target.chatbot == "marcus"
    assert job.is_isolated()
    assert [planned.trial.scenario for planned in plan([job], "e")] == [scenario.id for scenario in job.scenarios]
    assert {scenario.category for scenario in job.scenarios} == {job.name.removeprefix("marcus_")}


def test_expectations_are_whole_and_on_their_scales() -> None:
    assert {scenario.id: faults for scenario in SCENARIOS if (faults := faults_of(scenario))} == {}


def faults_of(scenario: Scenario) -> list[str]:
    """What a scenario lacks, or has beyond its scale."""
    expected, baseline = scenario.expected, scenario.pad_baseline
    low, high = expected["effectivenessRange"]
    sound = {
        "effectivenessRange": 0 <= low < high <= 1,
        "strategy": expected["strategy"] in STRATEGIES,
        "padDirection": expected["padDirection"].keys() <= baseline.keys() and expected["padDirection"] != {},
        "directions": set(expected["padDirection"].values()) <= DIRECTIONS,
        "axes": baseline.keys() == {"pleasure", "arousal", "dominance"},
        "baseline": all(-1 <= value <= 1 for value in baseline.values()),
        "pattern": ("pattern" in expected) == (scenario.category == "patterns"),
        "rationale": bool(scenario.rationale),
    }
    return [part for part, is_sound in sound.items() if not is_sound]


def test_every_strategy_and_pattern_is_tried_several_times() -> None:
    strategies = [scenario.expected["strategy"] for scenario in SCENARIOS]
    patterns = [scenario.expected["pattern"] for scenario in SCENARIOS if scenario.category == "patterns"]
    assert all(strategies.count(strategy) >= 5 for strategy in STRATEGIES)
    assert len(set(patterns)) >= 5


def test_what_the_person_says_names_no_expectation() -> None:
    expected = {each.id: (*STRATEGIES, each.category, each.expected.get("pattern", "–")) for each in SCENARIOS}
    said = [(each.id, word) for each in SCENARIOS for word in expected[each.id] if word in each.input.lower()]
    assert said == []
