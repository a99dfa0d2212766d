"""What is looked at before the first conversation of an evaluation."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse

from stoic_assets.adapters.evaluation_conversations import hold_evaluation
from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation import EvaluationRequest


def test_a_judges_key_that_is_refused_costs_no_conversation(service: Any, tmp_path: Path) -> None:
    servers = {"OPENAI_BASE_URL": f"{service.url}/v1", "STOIC_JUDGE_BASE_URL": f"{service.url}/court"}
    env = {"STOIC_HOME": str(tmp_path / "home"), "AGENT_URL": f"{service.url}/stoa", "STOIC_JUDGE_API_KEY": "old"}
    workplace = open_workplace(env | servers, start=tmp_path)
    workplace.project.jobs.mkdir()
    job = {
        "target": {"user": "ada", "chatbot": "marcus"}, "tasks": [{"task": "Greet", "acceptanceCriteria": "Greeted"}],
    }  # fmt: skip
    (workplace.project.jobs / "chat.yml").write_text(json.dumps(job))
    service.answers = [lambda call: JSONResponse({}, 401 if call.path.startswith("/court/") else 404)]

    with pytest.raises(ConfigurationError, match=r"/court refuses the key \(401\); check STOIC_JUDGE_API_KEY$"):
        asyncio.run(hold_evaluation(workplace, "marcus@1", "E1", "r", EvaluationRequest()))
    assert not [call.path for call in service.seen if call.path.startswith("/stoa")]
    assert workplace.evidence.manifest("marcus@1", "E1") is None
