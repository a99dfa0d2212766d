"""Which evaluation `stoic eval --resume` goes on with."""

from collections.abc import Callable

import pytest

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.evaluate import resumed_id
from stoic_assets.cli.options import NEWEST
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation import Manifest

Make = Callable[..., Manifest]


def test_the_unfinished_evaluation_of_these_jobs_is_found_and_that_of_others_named(
    workplace: Workplace, make_manifest: Make
) -> None:
    begun = make_manifest()
    workplace.evidence.begin(begun)
    jobs = {job.name for job in begun.spec.jobs}
    assert resumed_id(NEWEST, begun.agent_version, jobs, workplace) == begun.evaluation_id
    named = rf"with these jobs \(of others: {begun.evaluation_id}; resume it with"
    with pytest.raises(ConfigurationError, match=named):
        resumed_id(NEWEST, begun.agent_version, {*jobs, "another"}, workplace)
    with pytest.raises(ConfigurationError, match="with these jobs; to evaluate anew leave --resume out"):
        resumed_id(NEWEST, "marcus@99", jobs, workplace)
