"""The model that reads what people wrote, as `feedback_files` connects it."""

import asyncio
from pathlib import Path
from typing import Any

from stoic_assets.adapters.ratings.feedback_files import feedback_folder, feedback_model
from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.core.calls.chat import ChatRequest


def test_its_calls_are_noted_beside_the_files_and_its_replies_hold_no_secret(service: Any, tmp_path: Path) -> None:
    env = {"STOIC_HOME": str(tmp_path / "home"), "OPENAI_BASE_URL": service.url, "AGENT_API_KEY": "agent-key-1"}
    service.replies({"choices": [{"message": {"content": "It knows agent-key-1"}}]})
    model = feedback_model(open_workplace(env, start=tmp_path))
    assert model is not None
    asked = ChatRequest("judge", "m", ({"role": "user", "content": "It was late."},), 0.0)
    assert asyncio.run(model.complete(asked)).text == "It knows [redacted]"
    assert [call["model"] for call in model.rows()] == ["m"]
    assert [file.name for file in feedback_folder(tmp_path / "home").iterdir()] == ["llm_calls.jsonl"]
