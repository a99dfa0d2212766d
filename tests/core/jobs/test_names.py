"""What a trial plays, by one name."""

import pytest

from stoic_assets.core.jobs.names import job_key, job_of, played


@pytest.mark.parametrize(("scenario", "name"), [(None, "tone.v2"), ("s1", "tone.v2~s1")])
def test_what_is_played_is_named_by_job_and_scenario_and_leads_back_to_the_job(
    scenario: str | None, name: str
) -> None:
    assert played("tone.v2", scenario) == job_key({"job": "tone.v2", "scenario": scenario}) == name
    assert job_of(name) == "tone.v2"
