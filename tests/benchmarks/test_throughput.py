"""The benchmark itself: its servers satisfy the real adapter, its jobs plan the workload, its floor is right."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.throughput.adapter import press
from benchmarks.throughput.bare_client import measure
from benchmarks.throughput.servers import Service, agent_answers, listening, model_answers
from benchmarks.throughput.workload import JUDGE_CALLS, Workload, write_project
from stoic_assets.adapters.disk.configuration_files import load_settings
from stoic_assets.adapters.disk.job_files import load_jobs
from stoic_assets.adapters.models.model_list import look_up_models
from stoic_assets.adapters.models.model_server import ModelServer
from stoic_assets.adapters.models.openai_model import OpenAiModel
from stoic_assets.core.calls.chat import ChatRequest
from stoic_assets.core.configuration.endpoint_limits import Limits
from stoic_assets.core.jobs.plan import plan
from stoic_assets.core.judging.verdict import parse_tasks, parse_virtue, tasks_schema, virtue_schema
from stoic_assets.core.virtues import VIRTUES

SMALL = Workload(trials=10, at_once=5, judges_at_once=20, latency=0.01)


def served(work: Callable[[str, str], Awaitable[Any]]) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """What `work` gives with an agent and a model at its addresses, and what these were asked."""

    async def serve() -> tuple[Any, dict[str, Any], dict[str, Any]]:
        services = [Service(answers, SMALL.latency, 0) for answers in (agent_answers(), model_answers())]
        servers, ports = zip(*[await listening(service) for service in services], strict=True)
        agent, model = (f"http://127.0.0.1:{port}" for port in ports)
        result = await work(agent, model)
        for server in servers:
            server.close()
        return result, services[0].tally(), services[1].tally()

    return asyncio.run(serve())


def test_every_verdict_of_the_model_server_parses() -> None:
    schemas = [("virtue_verdict", virtue_schema(virtue)) for virtue in VIRTUES] + [("tasks_verdict", tasks_schema(3))]

    async def ask(_agent: str, url: str) -> list[str]:
        model = OpenAiModel(ModelServer(f"{url}/v1"), Limits(), {})
        requests = [
            ChatRequest("judge", "m", ({"role": "user", "content": "?"},), 0.0, schema, f"{name} {number}")
            for number, (name, schema) in enumerate(schemas)
        ]
        replies = await asyncio.gather(*[model.complete(request) for request in requests])
        return [reply.text for reply in replies]

    texts, _, tally = served(ask)
    assert [parse_virtue(text, virtue).score for text, virtue in zip(texts, VIRTUES, strict=False)] == [0.8] * 5
    assert len(parse_tasks(texts[-1], 3)) == 4
    assert tally["calls"] == {"judge": JUDGE_CALLS}


def test_looking_up_the_models_is_no_call() -> None:
    notes, _, tally = served(lambda _, model: look_up_models({"OPENAI_BASE_URL": f"{model}/v1", "OPENAI_API_KEY": "k"}))
    assert (notes, tally["calls"], tally["first"]) == ([], {}, None)


def test_the_adapter_and_the_bare_client_make_the_calls_they_report() -> None:
    pressed, _, tally = served(lambda _, model: press(f"{model}/v1", 4, 3))
    assert (pressed["calls"], tally["calls"], tally["most_in_flight"]) == (12, {"evaluator": 12}, 4)
    done, agent, model = served(lambda agent, model: measure(agent, model, SMALL, {"judge": 500}))
    assert agent["calls"] == {"session": 10, "agent": 40, "context": 10}
    assert model["calls"] == {"evaluator": 40, "judge": 60}
    assert sum([*agent["calls"].values(), *model["calls"].values()]) == SMALL.calls
    assert done["wall"] >= SMALL.floor


def test_the_floor_is_four_rounds_of_conversations_and_five_of_judgements() -> None:
    assert Workload().floor == pytest.approx(4 * 8 * 0.2 + 5 * 0.2)
    assert Workload(bookkeeping=0.2).floor == pytest.approx(4 * 10 * 0.2 + 5 * 0.2)


def test_the_project_plans_the_workload(tmp_path: Path) -> None:
    write_project(tmp_path, Workload())
    jobs = load_jobs(sorted((tmp_path / "eval_jobs").glob("*.yml")))
    planned = plan(jobs, "e")
    assert len(planned) == 200
    assert {each.trial.condition for each in planned} == {"withheld"}
    limits = load_settings(tmp_path / "stoic.yml").limits
    assert (limits.agent.in_flight, limits.evaluator.in_flight, limits.judge.in_flight) == (50, 50, 250)
