"""A rating study from page to figures, by the command line alone."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from agents import EmbabelAgent
from model_server import ModelServer
from stoic_command import Stoic

pytestmark = pytest.mark.long
DIMENSIONS = ("appropriateness", "helpfulness", "stoic_authenticity", "emotional_intelligence", "actionability")
SCENARIOS = [
    {"id": f"s{number}", "category": "calm", "input": f"I am worried about matter {number}."} for number in range(6)
]


def rating(test_id: str, rater: str, mark: int) -> dict[str, Any]:
    marks = dict.fromkeys(DIMENSIONS, mark) | {"actionability": None if mark == 3 else mark}
    overall = "yes" if mark > 3 else "no"
    moment = "2026-11-25T09:30:00Z"
    return {
        "test_id": test_id,
        "rater_id": rater,
        "timestamp": moment,
        "ratings": marks,
        "overall": overall,
        "comments": "",
    }


def test_a_study_is_built_collected_and_analysed(
    stoic: Stoic, model: ModelServer, agent: EmbabelAgent, running: Callable[..., Any]
) -> None:
    job = stoic.write("scenarios.yml", {"target": {"user": "u-{trial}", "chatbot": "bot"}, "scenarios": SCENARIOS})
    stoic("eval", "--file", job, "--agent-version", "bot@1.0")
    built = stoic("ratings", "build", "--agent-version", "bot@1.0", "--json").document
    assert built["replies"] == len(SCENARIOS)
    keys = json.loads((stoic.home / "ratings" / "keys.json").read_text())
    ids = sorted(test_id for test_id, key in keys.items() if key["trial_id"] and not key["repeat_of"])
    page = (stoic.home / "reports" / "ratings" / f"rating-page-{built['page_id']}.html").read_text()
    assert all(test_id in page for test_id in ids)
    assert "bot@1.0" not in page

    for rater, shift in (("ann", 0), ("ben", 0), ("cem", 1)):
        marks = [rating(test_id, rater, 1 + (place + shift) % 5) for place, test_id in enumerate(ids)]
        stoic.write(f"sent/{rater}.json", json.dumps(marks))
    assert stoic("ratings", "collect", "sent", "--json").document == {
        "files": 3,
        "new": 18,
        "changed": 0,
        "unchanged": 0,
        "superseded": 0,
        "unknown": 0,
    }
    assert stoic("ratings", "collect", "sent", "--json").document["unchanged"] == 18
    wrong = stoic.write("wrong.json", json.dumps([rating(ids[0], "dan", 9)]))
    refused = stoic("ratings", "collect", wrong, code=2)
    assert "wrong.json" in refused.line
    assert "appropriateness" in refused.line

    found = stoic("ratings", "analyze", "--json").document
    assert (found["raters"], found["items"], found["ratings"]) == (3, 6, 18)
    assert set(found["dimensions"]) == set(DIMENSIONS)
    alpha = found["dimensions"]["helpfulness"]["alpha_ordinal"]
    assert 0 < alpha["estimate"] < 1
    assert alpha["why"], "six items are too few for an interval, and it says so"
    assert found["dimensions"]["helpfulness"]["gate"] in ("pass", "fail", "unknown")
    assert stoic.sql("select count(*) from human_ratings where agent_version = 'bot@1.0'") == [(18,)]
    assert stoic.sql("select count(distinct question) from rater_reliability") == [(6,)]
