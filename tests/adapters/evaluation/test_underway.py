import asyncio
from typing import Any

from stoic_assets.adapters.evaluation.underway import EvaluationUnderway
from stoic_assets.adapters.http.request_limit import RequestLimits
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.jobs.job import Job


def test_an_outage_that_one_job_met_is_known_in_the_others(workplace: Workplace, make_manifest: Any) -> None:
    task = {"task": "Greet", "acceptanceCriteria": "Greeted"}
    target = {"user": "ada", "chatbot": "marcus"}
    jobs = [Job.model_validate({"name": name, "target": target, "tasks": [task]}) for name in ("one", "other")]
    addresses = {job.name: "http://localhost:8081" for job in jobs}
    manifest = make_manifest(jobs=jobs, addresses=addresses, offline=True)
    limits = RequestLimits(workplace.settings.limits.agent)
    underway = EvaluationUnderway(workplace, manifest, Any, None, limits, alone=True)
    one, other = underway._of_job.values()
    one.outages.append("nobody there")
    assert other.outages == ["nobody there"]
    asyncio.run(underway.close())
