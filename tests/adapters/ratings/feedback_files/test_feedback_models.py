"""The model that reads what people wrote, as `feedback_files` connects it."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from imported_feedback import DIALOGUE, REPLY, VERSION

from stoic_assets.adapters.ratings.feedback_files import feedback_folder, feedback_models, read_feedback
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.calls.chat import ChatRequest
from stoic_assets.core.errors import ConfigurationError


def answering(*contents: str) -> list[Any]:
    return [{"choices": [{"message": {"content": content}}]} for content in contents]


def test_its_calls_are_noted_beside_the_files_and_its_replies_hold_no_secret(service: Any, tmp_path: Path) -> None:
    env = {"STOIC_HOME": str(tmp_path / "home"), "OPENAI_BASE_URL": service.url, "AGENT_API_KEY": "agent-key-1"}
    service.replies(*answering("It knows agent-key-1"))
    models = feedback_models(open_workplace(env, start=tmp_path))
    assert models is not None
    asked = ChatRequest("judge", "m", ({"role": "user", "content": "It was late."},), 0.0)
    assert asyncio.run(models(VERSION).complete(asked)).text == "It knows [redacted]"
    [file] = feedback_folder(tmp_path / "home").iterdir()
    assert (file.name, json.loads(file.read_text())["call"]["model"]) == ("llm_calls.jsonl", "m")


def test_an_import_that_was_cut_off_pays_for_no_dialogue_again(
    service: Any, workplace: Workplace, put: Callable[..., Path]
) -> None:
    """What arrived is in the folder that is deleted with the version."""
    served = replace(workplace, env=workplace.env | {"OPENAI_BASE_URL": service.url})

    def cut_off() -> None:
        with pytest.raises(ConfigurationError, match="402"):
            asyncio.run(read_feedback(served, feedback_models(served)))

    put("first.json", **DIALOGUE)
    service.replies(*answering(json.dumps(REPLY)))
    assert len(asyncio.run(read_feedback(served, feedback_models(served))).rows) == 1
    put("second.json", **DIALOGUE | {"dialogue": [{"role": "user", "content": "It was late."}]})
    service.replies({"error": {"message": "no credit"}}, status=402)
    cut_off()
    cut_off()
    assert len(service.seen) == 3
    assert "missed the deadline" not in str(service.seen[1:])
    assert list(served.judge_cache(VERSION).rglob("*.sqlite"))
