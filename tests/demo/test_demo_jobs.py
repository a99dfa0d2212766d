"""The demo as a whole: the jobs in `eval_jobs/` played offline against both releases, and what assertions find."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.agents.embabel import EmbabelAgent
from stoic_assets.adapters.disk.configuration_files import yaml_files
from stoic_assets.adapters.disk.job_files import load_jobs
from stoic_assets.adapters.disk.release_files import load_releases
from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.http.request_limit import RequestLimit
from stoic_assets.adapters.models.stand_in import StandIn
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.conversation.conversation import hold_trial
from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.conversation.trials import hold_all
from stoic_assets.core.conversation.world import World
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.plan import Planned, plan
from stoic_assets.core.scoring.assertion_results import decide
from stoic_assets.core.secrets.redaction import Redactor
from stoic_assets.demo.releases import RELEASES

ROOT = Path(__file__).parents[2]
JOBS = {job.name: job for job in load_jobs(yaml_files(ROOT / "eval_jobs")) if "demo" in job.tags}
LOST = {
    "reminder_tomorrow", "reminder_two", "reminder_cancel", "reminder_move", "reminder_without_time",
    "memory_conversation_seed",
}  # fmt: skip
"""Jobs in which a reminder must be written."""

Trials = Mapping[tuple[str, str], Evidence]


class MemoryJournal:
    def __init__(self) -> None:
        self._entries: list[Any] = []

    def entries(self) -> list[Any]:
        return list(self._entries)

    async def append(self, entry: Any) -> None:
        self._entries.append(entry)


@asynccontextmanager
async def together(_alone: bool) -> AsyncIterator[None]:
    yield


async def play(version: str, url: str, graph: Graph) -> Trials:
    """Every trial of the demo jobs against the agent at `url`."""
    settings, model = Settings(), StandIn()
    limit = RequestLimit(settings.limits.agent)

    played: Trials = {}

    async def hold(planned: Planned) -> None:
        agent = EmbabelAgent(url, planned.job.target.chatbot, "none")
        world = World(
            agent=agent, agent_limit=limit, graph=graph, model=model, evaluator_model="offline", settings=settings,
            agent_version=f"marcus@{version}", now=lambda: datetime.now(UTC).isoformat(),
        )  # fmt: skip
        try:
            trial = planned.trial
            played[trial.job, trial.condition] = await hold_trial(planned, world, MemoryJournal())
        finally:
            await agent.close()

    await hold_all(plan(JOBS.values(), f"demo-{uuid.uuid4().hex}-{version}"), hold, 16, together)
    return played


@pytest.fixture(scope="module")
def played(marcus, graph_address) -> dict[str, Trials]:
    async def both() -> dict[str, Trials]:
        graph = Graph(graph_address)
        try:
            return {version: await play(version, str(client.base_url), graph) for version, client in marcus.items()}
        finally:
            await graph.aclose()

    return asyncio.run(both())


def failed(evidence: Evidence) -> list[str]:
    results = decide(JOBS[evidence.trial.job], evidence, "none", Redactor(()))
    return [result.assertion for result in results if not result.passed]


def words(evidence: Evidence) -> list[str]:
    return [turn.content for turn in evidence.turns]


def test_every_conversation_comes_to_its_end(played):
    ends = {(e.outcome, e.failure_count, e.detail) for trials in played.values() for e in trials.values()}
    assert ends == {("signed_off", 0, None)}
    assert {condition for _, condition in played["1.0.0"]} == {"withheld", "supplied"}


def test_the_good_release_holds_every_assertion(played):
    assert {key: failed(evidence) for key, evidence in played["1.0.0"].items() if failed(evidence)} == {}


def test_the_bad_release_fails_exactly_where_reminders_are_to_be_written(played):
    assert {job for (job, _), evidence in played["1.1.0"].items() if failed(evidence)} == LOST


def test_where_it_fails_it_says_the_same_words(played):
    for key, evidence in played["1.0.0"].items():
        if "advice" not in JOBS[key[0]].tags:
            assert words(evidence) == words(played["1.1.0"][key]), key


def test_its_advice_differs(played):
    advice = [key for key in played["1.0.0"] if "advice" in JOBS[key[0]].tags]
    assert len(advice) >= 6
    assert all(words(played["1.0.0"][key]) != words(played["1.1.0"][key]) for key in advice)


def test_facts_reach_the_agent_only_where_they_are_supplied(played):
    for (name, condition), evidence in played["1.0.0"].items():
        said = " ".join(turn.content for turn in evidence.turns if turn.speaker == "user")
        for fact in JOBS[name].facts if name != "coding_list_append" else ():  # there the fact is the judge's alone
            assert (fact in said) == (condition == "supplied"), (name, condition)


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_jobs_run_side_by_side_and_assert_something(job: Job) -> None:
    assert job.is_isolated()
    assert job.target.chatbot == "marcus"
    assert len(job.assertions) >= 3
    assert job.max_turns <= 12


def test_there_is_a_job_for_each_use_case() -> None:
    tags = {tag for job in JOBS.values() for tag in job.tags}
    assert {"coding", "problems", "research", "writing", "decisions", "reminders", "memory", "honesty"} <= tags
    assert len(JOBS) >= 12


def test_the_manifests_name_the_releases_that_there_are() -> None:
    manifests, complaints = load_releases(ROOT / "releases")
    assert complaints == []
    assert {f"marcus@{version}" for version in RELEASES} <= set(manifests)
    assert manifests["marcus@1.1.0"].parents == ("1.0.0",)
