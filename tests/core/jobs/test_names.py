"""The names of trials and of what they play."""

import pytest

from stoic_assets.core.jobs.names import job_key, job_of, played, trial_name


@pytest.mark.parametrize(("scenario", "name"), [(None, "tone.v2"), ("s1", "tone.v2~s1")])
def test_what_is_played_is_named_by_job_and_scenario_and_leads_back_to_the_job(
    scenario: str | None, name: str
) -> None:
    assert played("tone.v2", scenario) == job_key({"job": "tone.v2", "scenario": scenario}) == name
    assert job_of(name) == "tone.v2"


def test_a_trial_is_called_by_what_tells_it_apart_within_its_evaluation() -> None:
    assert trial_name("e1.mentor.withheld.1", "e1") == "mentor.withheld.1"
