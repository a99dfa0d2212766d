"""Feedback files and ratings on their way into the table, and what leaves for others from there."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from stoic_assets.adapters.evaluation.publishing import publish_feedback
from stoic_assets.adapters.ratings.feedback_files import TakenIn, feedback_model, human_evaluations, store, take_in
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.chat import ChatReply, ChatRequest, ModelFailure

VERSION = "marcus@1.1.0"
START = "2026-03-01T02:00:00Z"
DIALOGUE = {
    "agent_version": VERSION, "task_id": "mentor",
    "dialogue": [{"role": "user", "content": "It missed the deadline. My key is sk-0123456789abcdefgh."}],
}  # fmt: skip
REPLY = {
    "dimension_feedback": [
        {
            "dimension": "accuracy", "supporting_quotes": ["It missed the deadline."], "sentiment": "negative",
            "improvement_suggestions": [], "score": 0.25, "confidence": 0.8,
        }
    ],
    "improvement_suggestions": [], "acceptance_status": "rejected", "overall_satisfaction": 0.2,
    "interpretation_confidence": 0.9,
}  # fmt: skip


class Model:
    """Reads every dialogue alike, or fails, and counts how often it was asked."""

    def __init__(self, failure: str = "") -> None:
        self.requests: list[ChatRequest] = []
        self._failure = failure

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        if self._failure:
            raise ModelFailure(self._failure)
        return ChatReply(json.dumps(REPLY))


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    env = {"STOIC_HOME": str(tmp_path / "home"), "OPENAI_BASE_URL": "http://127.0.0.1:9"}
    return open_workplace(env, start=tmp_path)


@pytest.fixture
def put(workplace: Workplace) -> Callable[..., Path]:
    """Puts a feedback file into the folder; the metrics of an accuracy of 0.4, changed by keywords."""

    def write(name: str = "a.json", **keys: Any) -> Path:
        usual = {
            "agent_version": VERSION, "task_id": "mentor", "overall_satisfaction": 0.5,
            "interpretation_confidence": 0.8,
            "dimension_feedback": [{"dimension": "accuracy", "score": 0.4, "confidence": 0.9}],
        }  # fmt: skip
        content = keys if "dialogue" in keys else {**usual, **keys}
        path = workplace.project.home / "feedback" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))
        return path

    return write


def taken(workplace: Workplace, model: Model | None = None) -> TakenIn:
    found = asyncio.run(take_in(workplace, model))
    store(workplace, found)
    return found


def table(workplace: Workplace) -> list[dict[str, Any]]:
    return workplace.warehouse.query("select * from human_feedback_evaluations order by feedback_id")


def evaluated(workplace: Workplace, version: str, started_at: str = START) -> None:
    head = {"agent": "marcus", "started_at": started_at, "status": "finished", "offline": False, "planned_trials": 1}
    workplace.warehouse.write("evaluations", version, "night", [head])


def conversed(workplace: Workplace, trial_id: str = "t1", holdout: bool = False, scenario: str | None = None) -> None:
    trial = {
        "trial_id": trial_id, "job": "mentor", "holdout": holdout, "scenario": scenario, "condition": "withheld",
        "repeat": 1, "outcome": "signed_off", "failure_count": 0, "planned_tasks": 1, "turns": 2,
    }  # fmt: skip
    workplace.warehouse.write("trials", VERSION, "night", [trial])


def rated(workplace: Workplace, *raters: str) -> None:
    marks = dict.fromkeys(
        ("appropriateness", "helpfulness", "stoic_authenticity", "emotional_intelligence", "actionability"), 4
    )
    rows = [
        {
            "rater_id": rater, "test_id": "x1", "trial_id": "t1", **marks, "overall": "yes", "comments": "",
            "practice": False, "attention": False, "rated_at": START,
        }
        for rater in raters
    ]  # fmt: skip
    workplace.warehouse.write("human_ratings", VERSION, "night", rows)


def test_files_become_rows_once(workplace: Workplace, put: Callable[..., Path]) -> None:
    evaluated(workplace, VERSION)
    put("a.json", timestamp="2026-03-01T10:00:00Z")
    copy = put("copy.json", timestamp="2026-03-01T10:00:00Z")
    copy.write_text(copy.read_text(), encoding="utf-8-sig")
    put("b.json", dimension_feedback=[{"dimension": "clarity", "score": 0, "confidence": 1}])
    found = taken(workplace)
    assert (len(found.rows), found.complaints, found.unmapped) == (2, (), ["clarity"])
    row = next(each for each in table(workplace) if each["unmapped_dimensions"] == [])
    assert (row["agent_version"], row["origin"], row["kind"]) == (VERSION, "a.json", "metrics")
    assert row["given_at"] == datetime(2026, 3, 1, 10, tzinfo=UTC)


def test_taking_the_same_in_again_writes_nothing(workplace: Workplace, put: Callable[..., Path]) -> None:
    put()
    conversed(workplace)
    rated(workplace, "anna", "ben")
    before = asyncio.run(take_in(workplace, None))
    assert len(store(workplace, before)) == 2
    assert store(workplace, asyncio.run(take_in(workplace, None))) == {}
    with duckdb.connect(str(workplace.warehouse.published), read_only=True) as people:
        assert people.execute("select count(*) from human_feedback_evaluations").fetchall() == [(2,)]


def test_a_file_taken_away_is_taken_out_of_the_table(workplace: Workplace, put: Callable[..., Path]) -> None:
    path = put()
    taken(workplace)
    path.unlink()
    taken(workplace)
    assert table(workplace) == []


def test_a_wrong_file_keeps_no_other_out(workplace: Workplace, put: Callable[..., Path]) -> None:
    put("good.json")
    put("wrong.json", overall_satisfaction=3)
    found = taken(workplace)
    assert len(found.rows) == 1
    assert "wrong.json:1: overall_satisfaction" in found.complaints[0]


def test_an_agent_means_its_newest_version_and_stays_with_it(workplace: Workplace, put: Callable[..., Path]) -> None:
    put(agent_version=None, agent_id="marcus")
    assert "agent 'marcus' was never evaluated; set agent_version" in taken(workplace).complaints[0]
    evaluated(workplace, "marcus@1.0.0")
    taken(workplace)
    evaluated(workplace, VERSION, "2026-03-02T02:00:00Z")
    taken(workplace)
    assert [row["agent_version"] for row in table(workplace)] == ["marcus@1.0.0"]
    put("new.json", agent_version=None, agent_id="marcus", task_id="other")
    taken(workplace)
    assert sorted(row["agent_version"] for row in table(workplace)) == ["marcus@1.0.0", VERSION]


def test_a_version_that_was_never_evaluated_is_named_and_its_feedback_kept(
    workplace: Workplace, put: Callable[..., Path]
) -> None:
    evaluated(workplace, "marcus@1.0.0")
    put()
    said = f"{VERSION} was never evaluated; correct agent_version"
    assert taken(workplace).complaints == (f"a.json: {said}",)
    for number in range(7):
        put(f"b{number}.json", task_id=f"task {number}")
    assert taken(workplace).complaints == (f"a.json, b0.json, b1.json, b2.json, b3.json and 3 more: {said}",)
    assert {row["agent_version"] for row in table(workplace)} == {VERSION}
    evaluated(workplace, VERSION)
    assert taken(workplace).complaints == ()


def test_a_dialogue_is_read_once_and_without_secrets(workplace: Workplace, put: Callable[..., Path]) -> None:
    put("d.json", **DIALOGUE)
    model = Model()
    [row] = taken(workplace, model).rows
    assert (row["kind"], row["acceptance_status"], row["interpreter"][:13]) == ("dialogue", "rejected", "gpt-4.1-mini/")
    assert "sk-0123" not in str(model.requests[0].messages)
    assert "missed the deadline" in str(model.requests[0].messages)
    taken(workplace, model)
    taken(workplace, None)
    assert len(model.requests) == 1
    assert json.loads(table(workplace)[0]["virtue_scores"])["wisdom"]["score"] == 0.25


def test_a_key_that_is_a_word_lets_feedback_be_found_and_read_again(
    workplace: Workplace, put: Callable[..., Path]
) -> None:
    put("d.json", **DIALOGUE)
    keyed, model = replace(workplace, env=workplace.env | {"AGENT_API_KEY": "feedback"}), Model()
    first, second = taken(keyed, model), taken(keyed, model)
    assert [row["feedback_id"] for row in table(keyed)] == [second.rows[0]["feedback_id"]]
    assert (first, len(model.requests)) == (second, 1)
    assert human_evaluations(keyed, VERSION)[0].virtue_scores["wisdom"].score == 0.25


def test_a_secret_that_stands_in_a_dialogues_own_fields_is_blanked_in_its_words_alone(
    workplace: Workplace, put: Callable[..., Path]
) -> None:
    put("d.json", **DIALOGUE)
    workplace.redactor.learn([DIALOGUE["agent_version"], "deadline"])
    model = Model()
    assert len(taken(workplace, model).rows) == 1
    assert "missed the [redacted]" in str(model.requests[0].messages)


def test_a_pattern_that_matches_our_own_words_spoils_no_reading(
    workplace: Workplace, put: Callable[..., Path]
) -> None:
    put("d.json", **DIALOGUE)
    settings = workplace.settings.model_copy(update={"redact": (r"\b\w{8,}\b",)})  # rejected, negative
    found = taken(replace(workplace, settings=settings), model := Model())
    assert found.rows[0]["acceptance_status"] == "rejected"
    taken(replace(workplace, settings=settings), model)
    assert len(model.requests) == 1


def test_a_reading_that_was_spoilt_is_made_again(workplace: Workplace, put: Callable[..., Path]) -> None:
    put("d.json", **DIALOGUE)
    taken(workplace, model := Model())
    [row] = table(workplace)
    spoilt = row | {"metrics": row["metrics"].replace("negative", "[redacted]")}
    workplace.warehouse.write("human_feedback_evaluations", row["agent_version"], row["evaluation_id"], [spoilt])
    taken(workplace, model)
    assert (len(model.requests), "negative" in table(workplace)[0]["metrics"]) == (2, True)


def test_without_a_model_a_dialogue_waits(workplace: Workplace, put: Callable[..., Path]) -> None:
    evaluated(workplace, VERSION)
    put("d.json", **DIALOGUE)
    put("a.json")
    found = taken(workplace, None)
    assert len(found.rows) == 1
    assert found.complaints == ("d.json: no model can read the dialogue: set OPENAI_API_KEY or OPENAI_BASE_URL",)


def test_a_dialogue_that_a_model_fails_to_read_is_read_the_next_time(
    workplace: Workplace, put: Callable[..., Path]
) -> None:
    evaluated(workplace, VERSION)
    put("d.json", **DIALOGUE)
    assert taken(workplace, Model("down")).complaints == ("d.json: down",)
    assert table(workplace) == []
    assert taken(workplace, Model()).complaints == ()
    assert len(table(workplace)) == 1


def test_offline_there_is_no_model(tmp_path: Path, workplace: Workplace) -> None:
    assert feedback_model(open_workplace({"STOIC_HOME": str(tmp_path / "other")}, start=tmp_path)) is None
    assert feedback_model(workplace) is not None


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
