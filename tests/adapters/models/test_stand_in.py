import asyncio
import json
from typing import Any

from stoic_assets.adapters.models.stand_in import OFFLINE, StandIn, judged_by_stand_in
from stoic_assets.core.calls.chat import ChatReply, ChatRequest, Role

TASK = {"type": "task", "task": "Ask for a short proverb", "acceptance_criteria": "It is short.", "requirements": None}
EVALUATOR = {"tasks": [TASK], "facts": [], "turns": [], "evaluator": {"signoff": "So long"}}
JUDGE = {
    "about": "tasks", "tasks": [TASK], "scenario": None, "facts": [], "actions": [],
    "turns": [{"speaker": "user", "content": "A proverb?"}, {"speaker": "agent", "content": "Haste makes waste."}],
}


def said(role: Role, brief: dict[str, Any]) -> ChatReply:
    return asyncio.run(StandIn().complete(ChatRequest(role, "offline", (), 0.0, brief=brief)))


def test_each_role_is_played_from_its_brief_at_no_cost() -> None:
    message = said("evaluator", EVALUATOR)
    assert message.text == "Could you give me a short proverb?"
    assert (message.cost_usd, message.prompt_tokens) == (0.0, 0)
    assert "tone" in json.loads(said("judge", JUDGE).text)


def test_the_same_brief_gets_the_same_reply() -> None:
    assert said("judge", JUDGE) == said("judge", JUDGE)


def test_the_stand_in_is_found_alone_and_in_a_panel() -> None:
    assert not judged_by_stand_in(["gpt", "gpt,sage"])
    for judge in (OFFLINE, f"gpt,{OFFLINE}"):
        assert judged_by_stand_in(["gpt", judge])
