"""The two events of an evaluation."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import pytest

from stoic_assets.core.evolution.events import Event, applied, compared, completed, events_of_evaluation
from stoic_assets.core.evolution.fitness import fitness_update
from stoic_assets.core.evolution.fitness_comparison import AgainstBase
from stoic_assets.core.evolution.stoic_evaluation import EvaluationHead, StoicEvaluation, VirtueFinding

Judged = Callable[..., StoicEvaluation]


@pytest.fixture
def both(head: EvaluationHead, judged: Judged, finding: Callable[..., VirtueFinding]) -> list[Event]:
    evaluation = judged("night-7.a.withheld.1", "a", 0.5)
    brave = judged("t2", "b", 0.7, virtues={"wisdom": finding(0.7), "courage": finding(0.9)})
    update = applied(fitness_update(head, [evaluation, brave, judged("t3", "a", 0.6)]))
    assert update
    return [completed(evaluation), update]


def test_documents_are_cloud_events(both: list[Event]) -> None:
    for event in both:
        document = json.loads(json.dumps(event.document()))
        assert document["specversion"] == "1.0"
        assert all(document[name] for name in ("id", "type", "subject"))
        assert document["source"] == "/stoic-eval"
        assert datetime.fromisoformat(document["time"]).utcoffset() is not None
        assert document["datacontenttype"] == "application/json"
        assert isinstance(document["data"], dict)


def test_a_completed_trial_tells_its_scores_and_the_whole_evaluation(both: list[Event]) -> None:
    event = both[0]
    assert (event.id, event.type) == ("night-7.a.withheld.1", "agent.evaluation.stoic_completed")
    told = {"agent_id": "marcus", "agent_version": "marcus@1.1.0", "task_id": "a", "overall_score": 0.5}
    told |= {"evaluation_id": "night-7"}
    assert told.items() <= event.data.items()
    assert event.data["virtue_scores"] == {"wisdom": 0.5}
    assert event.data["evaluation"]["virtue_scores"]["wisdom"]["reasoning"] == "because"
    assert event.data["evaluation"]["id"] == event.id


def test_an_applied_evaluation_tells_fitness_and_weak_virtues(both: list[Event]) -> None:
    event = both[1]
    assert (event.id, event.type, event.subject) == ("night-7", "evolution.stoic_evaluation_applied", "marcus@1.1.0")
    assert event.data == {
        "agent_id": "marcus", "agent_version": "marcus@1.1.0", "task_id": "night-7", "task_ids": ["a", "b"],
        "fitness_score": pytest.approx(0.6), "weak_virtues": ["wisdom"], "timestamp": "2026-03-01T02:00:00+00:00",
        "offline": False, "revision": 1, "conclusive": True, "fitness_why": None, "scored_trials": 3,
        "failed_trials": 0, "scale": "",
    }


REGRESSED: AgainstBase = {
    "base": "marcus@1.0.0", "base_evaluation_id": "n6", "verdict": "regressed", "regressed": ["assertion"],
    "improved": [], "weaker_assertions": ["it is stored"],
}  # fmt: skip


def test_a_compared_version_tells_the_verdict(head: EvaluationHead) -> None:
    event = compared(head, REGRESSED)
    assert (event.id, event.type, event.subject) == ("night-7.compared", "stoic.version_compared", "marcus@1.1.0")
    assert event.data["base"] == "marcus@1.0.0"
    of = {"agent_id": "marcus", "agent_version": "marcus@1.1.0", "evaluation_id": "night-7", "offline": False}
    assert event.data.items() >= of.items()
    assert event.row().items() >= {"type": event.type, "subject": event.subject, "time": event.time}.items()
    assert (event.data["verdict"], event.data["regressed"]) == ("regressed", ["assertion"])
    assert event.data["weaker_assertions"] == ["it is stored"]


def test_nothing_was_applied_when_no_trial_was_scored(head: EvaluationHead) -> None:
    assert applied(fitness_update(head, [])) is None


def test_fitness_that_was_told_is_withdrawn(head: EvaluationHead, judged: Judged) -> None:
    update = fitness_update(head, [judged("t1", "a", 0.5)])
    assert applied(update.void("too many are invalid")) is None
    event = applied(update.void("too many are invalid").after(update.payload()))
    assert event is not None
    assert event.id == "night-7"
    assert event.data.items() >= {"fitness_score": None, "fitness_why": "too many are invalid", "revision": 2}.items()
    assert not event.data["conclusive"]


def test_holdout_and_offline_are_told(head: EvaluationHead, judged: Judged) -> None:
    hidden = completed(judged("t1", "a", 0.5, head=replace(head, offline=True), holdout=True)).data
    assert (hidden["holdout"], hidden["offline"]) == (True, True)
    assert compared(replace(head, offline=True), REGRESSED).data["offline"]


def test_what_is_about_a_whole_evaluation_is_known_by_its_ids(both: list[Event], head: EvaluationHead) -> None:
    assert events_of_evaluation(head) == {both[1].id, compared(head, REGRESSED).id}


def test_the_row_holds_the_data_as_json(both: list[Event]) -> None:
    row = both[1].row()
    assert json.loads(row["data"]) == both[1].data
    assert (row["id"], row["time"], row["delivered_at"]) == ("night-7", "2026-03-01T02:00:00+00:00", None)


def test_hostile_words_survive_as_words(head: EvaluationHead, judged: Judged) -> None:
    words = '"}]} <script>\u2028'
    event = completed(judged("t1", "a", 0.5, virtues={"wisdom": VirtueFinding(0.5, words, (words,), (), 0.9)}))
    read = json.loads(json.dumps(event.document()))
    assert read["data"]["evaluation"]["virtue_scores"]["wisdom"]["supporting_examples"] == [words]
