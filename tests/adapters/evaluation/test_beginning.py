"""What is looked at before the first conversation of an evaluation."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.evaluation.beginning import Wanted, begin_or_resume
from stoic_assets.adapters.evaluation.conversations import hold_evaluation
from stoic_assets.adapters.evaluation.specification import ResolvedRequest, resolve
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.errors import Busy, ConfigurationError
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.evaluation.resuming import ResumeRefused

JOB = {
    "target": {"user": "ada", "chatbot": "marcus"}, "tasks": [{"task": "Greet", "acceptanceCriteria": "Greeted"}],
}  # fmt: skip


def write_job(workplace: Workplace, job: dict[str, Any]) -> None:
    workplace.project.jobs.mkdir(exist_ok=True)
    (workplace.project.jobs / "chat.yml").write_text(json.dumps(job))


def test_a_judges_key_that_is_refused_costs_no_conversation(service: Any, tmp_path: Path) -> None:
    servers = {"OPENAI_BASE_URL": f"{service.url}/v1", "STOIC_JUDGE_BASE_URL": f"{service.url}/court"}
    env = {"STOIC_HOME": str(tmp_path / "home"), "AGENT_URL": f"{service.url}/stoa", "STOIC_JUDGE_API_KEY": "old"}
    workplace = open_workplace(env | servers, start=tmp_path)
    write_job(workplace, JOB)
    service.answers = [lambda call: JSONResponse({}, 401 if call.path.startswith("/court/") else 404)]

    with pytest.raises(ConfigurationError, match=r"/court refuses the key \(401\); check STOIC_JUDGE_API_KEY$"):
        asyncio.run(hold_evaluation(workplace, Wanted("marcus@1", "E1", EvaluationRequest()), "r"))
    assert not [call.path for call in service.seen if call.path.startswith("/stoa")]
    assert workplace.evidence.manifest("marcus@1", "E1") is None


def test_an_evaluation_that_another_process_holds_is_not_held_twice(workplace: Workplace, service: Any) -> None:
    write_job(workplace, JOB)
    request = EvaluationRequest(agent_url=f"{service.url}/stoa")
    with locked(workplace.evidence.folder("marcus@1", "E1") / "lock"), pytest.raises(Busy, match="E1 of marcus@1 is"):
        asyncio.run(hold_evaluation(workplace, Wanted("marcus@1", "E1", request), "r"))
    assert not [call for call in service.seen if call.method == "PUT"]
    assert workplace.evidence.manifest("marcus@1", "E1") is None


def test_an_evaluation_is_resumed_with_the_headers_that_are_never_stored(tmp_path: Path) -> None:
    env = {"STOIC_HOME": str(tmp_path / "home"), "STOIC_LLM": "offline", "KEY": "tr0ub4dor"}
    workplace = open_workplace(env, start=tmp_path)
    write_job(workplace, JOB | {"target": {**JOB["target"], "headers": {"Authorization": "Bearer ${KEY}"}}})
    begun = begin_or_resume(workplace, wanted(), "r1", asked(workplace))
    again = begin_or_resume(workplace, wanted(), "r2", asked(workplace))
    assert again == begun
    assert again.spec.jobs[0].target.headers == {"Authorization": "Bearer ${KEY}"}
    assert (again.run_id, workplace.evidence.manifest("marcus@1", "E1") is not None) == ("r1", True)


def test_an_evaluation_is_not_resumed_with_another_job(workplace: Workplace) -> None:
    write_job(workplace, JOB)
    begin_or_resume(workplace, wanted(), "r1", asked(workplace))
    write_job(workplace, JOB | {"maxTurns": 3})
    with pytest.raises(ResumeRefused, match=r"jobs \(chat\)"):
        begin_or_resume(workplace, wanted(), "r2", asked(workplace))


def test_an_evaluation_of_another_version_lends_nobody_its_id(workplace: Workplace) -> None:
    """Users, trials and events of both would be the same."""
    write_job(workplace, JOB)
    resolved = asked(workplace)
    begin_or_resume(workplace, wanted(), "r1", resolved)
    with pytest.raises(ConfigurationError, match=r"^E1 is an evaluation of marcus@1; run marcus@2 without"):
        begin_or_resume(workplace, wanted("marcus@2", "E1"), "r2", resolved)
    assert workplace.evidence.versions_with("E1") == {"marcus@1"}
    assert begin_or_resume(workplace, wanted("marcus@2", "E2"), "r2", resolved).agent_version == "marcus@2"


def wanted(version: str = "marcus@1", evaluation_id: str = "E1") -> Wanted:
    return Wanted(version, evaluation_id, EvaluationRequest())


def asked(workplace: Workplace) -> ResolvedRequest:
    """What a run asks for, as it reads the project now."""
    return resolve(workplace, EvaluationRequest(), "marcus@1")
