"""Ratings on their way into the table, and what leaves for others from there."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from imported_feedback import VERSION, conversed, rated, table, taken

from stoic_assets.adapters.evaluation.human_evaluations import human_evaluations
from stoic_assets.adapters.evaluation.publishing import publish_feedback
from stoic_assets.adapters.workplace import Workplace


def test_rated_replies_are_human_evaluations_too(workplace: Workplace) -> None:
    conversed(workplace)
    rated(workplace, "anna", "ben")
    taken(workplace)
    [found] = human_evaluations(workplace, VERSION)
    assert (found.id, found.source, found.task_id, found.overall_score) == ("ratings.t1", "human", "mentor", 1.0)
    assert not found.holdout
    assert {virtue: each.score for virtue, each in found.virtue_scores.items()} == dict.fromkeys(
        ("wisdom", "justice", "temperance", "practical_wisdom"), 0.75
    )
    assert human_evaluations(workplace, "marcus@1.0.0") == []


def test_a_rated_reply_to_a_scenario_is_an_observation_of_that_scenario(workplace: Workplace) -> None:
    conversed(workplace, scenario="grief")
    rated(workplace, "anna", "ben")
    taken(workplace)
    assert [found.observed for found in human_evaluations(workplace, VERSION)] == ["mentor~grief"]


def test_feedback_on_a_holdout_job_is_marked(workplace: Workplace, put: Callable[..., Path]) -> None:
    conversed(workplace, holdout=True)
    put()
    taken(workplace)
    assert [found.holdout for found in human_evaluations(workplace, VERSION)] == [True]


def test_events_say_what_people_found(
    workplace: Workplace, put: Callable[..., Path], waiting: Callable[..., list[dict[str, Any]]]
) -> None:
    put(improvement_suggestions=["Hide Bearer abcdefghijklmnopqrst"])
    conversed(workplace)
    rated(workplace, "anna", "ben")
    taken(workplace)
    delivery = asyncio.run(publish_feedback(workplace, VERSION))
    assert (delivery.delivered, delivery.pending) == (0, 2)
    asyncio.run(publish_feedback(workplace, VERSION))
    events = workplace.warehouse.query("select * from events order by id")
    assert [(event["type"], event["evaluation_id"]) for event in events] == [
        ("agent.evaluation.stoic_completed", "human-feedback"), ("agent.evaluation.stoic_completed", "human-ratings"),
    ]  # fmt: skip
    assert {json.loads(event["data"])["evaluation"]["source"] for event in events} == {"human"}
    assert "abcdefghij" not in str(events) + str(table(workplace))
    assert {event["id"] for event in waiting(workplace)} == {event["id"] for event in events}


def test_events_of_feedback_that_is_gone_are_taken_back(
    workplace: Workplace, put: Callable[..., Path], waiting: Callable[..., list[dict[str, Any]]]
) -> None:
    """Also where it is another version's now, under which its id may stay."""

    def told(*versions: str) -> list[tuple[str, str]]:
        taken(workplace)
        for version in versions:
            asyncio.run(publish_feedback(workplace, version))
        return [(event["subject"], event["data"]["task_id"]) for event in waiting(workplace)]

    kept = put("kept.json", task_id="kept")
    put("mentor.json")
    assert sorted(told(VERSION)) == [(VERSION, "kept"), (VERSION, "mentor")]
    kept.unlink()
    assert told(VERSION) == [(VERSION, "mentor")]
    put("mentor.json", agent_version="marcus@1.0.0")
    assert told("marcus@1.0.0", VERSION) == [("marcus@1.0.0", "mentor")]
