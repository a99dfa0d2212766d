"""Feedback that two processes take in at once, or one that is cut off."""

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.evaluation import feedback_import, publishing
from stoic_assets.adapters.evaluation.feedback_import import import_feedback
from stoic_assets.adapters.ratings.rating_keys import ratings_folder
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.calls.chat import ChatReply, ChatRequest
from stoic_assets.core.feedback.human_evaluation import FEEDBACK
from stoic_assets.core.progress import Progress

VERSION = "marcus@1.1.0"
REPLY = {
    "dimension_feedback": [
        {
            "dimension": "accuracy", "supporting_quotes": ["It was late."], "sentiment": "negative",
            "improvement_suggestions": [], "score": 0.25, "confidence": 0.8,
        }
    ],
    "improvement_suggestions": [], "acceptance_status": "rejected",
    "overall_satisfaction": 0.2, "interpretation_confidence": 0.9,
}  # fmt: skip


@dataclass
class SlowModel:
    """Reads every dialogue alike; its first answer takes until `may_answer`."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)
    requests: list[ChatRequest] = field(default_factory=list)

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        self.asked.set()
        if len(self.requests) == 1:
            await self.may_answer.wait()
        return ChatReply(json.dumps(REPLY))


@dataclass
class Released(Progress):
    """Lets the model answer as soon as somebody is told to wait."""

    model: SlowModel
    notes: list[str] = field(default_factory=list)

    def note(self, message: str) -> None:
        self.notes.append(message)
        self.model.may_answer.set()


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> SlowModel:
    slow = SlowModel()
    monkeypatch.setattr(feedback_import, "feedback_models", lambda _: lambda version: slow)
    return slow


@pytest.fixture
def workplace(tmp_path: Path, model: SlowModel) -> Workplace:
    env = {"STOIC_HOME": str(tmp_path / "home"), "OPENAI_BASE_URL": "http://127.0.0.1:9"}
    return open_workplace(env, Released(model), start=tmp_path)


def put(workplace: Workplace, name: str) -> None:
    said: dict[str, Any] = {"agent_version": VERSION, "task_id": name}
    folder = workplace.project.home / "feedback"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(said | {"dialogue": [{"role": "user", "content": "It was late."}]}))


def test_of_two_at_once_the_second_waits_and_neither_loses_or_repeats_anything(
    workplace: Workplace, model: SlowModel
) -> None:
    async def both() -> None:
        first = asyncio.create_task(import_feedback(workplace))
        await model.asked.wait()
        put(workplace, "second.json")
        await import_feedback(workplace)
        model.may_answer.set()
        await first

    put(workplace, "first.json")
    asyncio.run(both())
    stored = workplace.warehouse.query("select origin from human_feedback_evaluations order by origin")
    assert [row["origin"] for row in stored] == ["first.json", "second.json"]
    assert len(model.requests) == 2
    assert isinstance(workplace.progress, Released)
    assert workplace.progress.notes == ["another process imports what people found; this waits for that"]


def test_of_two_at_once_neither_loses_the_events_of_the_other(
    workplace: Workplace, model: SlowModel, waiting: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second begins while the first delivers."""
    deliver, told = publishing._deliver, model.may_answer
    later: list[asyncio.Task[Any]] = []

    async def slowly(*given: Any) -> Any:
        if not later:
            told.clear()
            put(workplace, "second.json")
            later.append(asyncio.create_task(import_feedback(workplace)))
            await asyncio.wait([*later, asyncio.create_task(told.wait())], return_when=asyncio.FIRST_COMPLETED)
        return await deliver(*given)

    async def both() -> None:
        await import_feedback(workplace)
        await later[0]

    told.set()
    put(workplace, "first.json")
    monkeypatch.setattr(publishing, "_deliver", slowly)
    asyncio.run(both())
    assert len(workplace.warehouse.query("select id from events")) == len(waiting(workplace)) == 2


def test_whoever_waits_can_be_interrupted(workplace: Workplace, model: SlowModel) -> None:
    """And leaves the turn to the next."""

    async def interrupted() -> None:
        first = asyncio.create_task(import_feedback(workplace))
        await model.asked.wait()
        second = asyncio.create_task(import_feedback(workplace))
        await model.may_answer.wait()  # it was told to wait
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        await first
        assert len((await import_feedback(workplace)).feedback.rows) == 1

    put(workplace, "first.json")
    asyncio.run(interrupted())


def test_whoever_waits_for_ratings_can_be_interrupted(workplace: Workplace, model: SlowModel) -> None:
    held, interrupted = threading.Event(), threading.Event()

    def collect() -> None:
        with locked(ratings_folder(workplace.project.home) / ".lock"):
            held.set()
            interrupted.wait(5)

    async def interrupt() -> None:
        waiting = asyncio.create_task(import_feedback(workplace))
        await model.may_answer.wait()  # it was told to wait
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert collecting.is_alive()
        interrupted.set()

    collecting = threading.Thread(target=collect)
    collecting.start()
    held.wait()
    asyncio.run(interrupt())
    collecting.join()


def test_what_was_stored_and_not_published_is_published_with_the_next(
    workplace: Workplace, model: SlowModel, waiting: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def hear_on_a_full_disk() -> None:
        def refuse(*_: object) -> None:
            raise StorageError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(publishing, "human_evaluations", refuse)
            with pytest.raises(StorageError):
                asyncio.run(import_feedback(workplace))

    model.may_answer.set()
    put(workplace, "first.json")
    hear_on_a_full_disk()
    assert waiting(workplace) == []
    assert asyncio.run(import_feedback(workplace)).versions == [], "nothing changed since"
    assert [event["subject"] for event in waiting(workplace)] == [VERSION]
    told = "select evaluation_id from events"
    assert workplace.warehouse.query(told) == [{"evaluation_id": FEEDBACK}]
    (workplace.project.home / "feedback" / "first.json").unlink()
    hear_on_a_full_disk()
    asyncio.run(import_feedback(workplace))
    assert (waiting(workplace), workplace.warehouse.query(told)) == ([], []), "what is gone is taken back"
    assert asyncio.run(import_feedback(workplace)).deliveries == [], "and there is nothing more to tell"


def test_what_becomes_a_holdout_job_is_published_again(
    workplace: Workplace, model: SlowModel, waiting: Callable[..., list[Any]]
) -> None:
    """Though nothing was said anew."""
    model.may_answer.set()
    put(workplace, "first.json")
    asyncio.run(import_feedback(workplace))
    assert [event["data"]["holdout"] for event in waiting(workplace)] == [False]
    workplace.project.jobs.mkdir()
    job = "holdout: true\ntarget: {user: u, chatbot: marcus}\ntasks: [{task: t, acceptanceCriteria: a}]\n"
    (workplace.project.jobs / "first.json.yml").write_text(job)
    again = asyncio.run(import_feedback(workplace))
    assert (again.versions, [event["data"]["holdout"] for event in waiting(workplace)]) == ([], [True])
    assert asyncio.run(import_feedback(workplace)).deliveries == [], "and only once"
