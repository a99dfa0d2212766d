"""Small fakes of the ports: an agent, a subject graph, a simulated user and a journal, all in memory."""

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import pytest
from simulated_time import simulated

from stoic_assets.core.calls.chat import ChatReply, ChatRequest
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.conversation.agent import AgentFailure, AgentReply
from stoic_assets.core.conversation.conversation import hold_trial
from stoic_assets.core.conversation.evidence import Evidence, Turn
from stoic_assets.core.conversation.journal import Entry
from stoic_assets.core.conversation.world import World
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.plan import Planned, plan

SETTABLE = ("on_turn", "on_query", "attempt_seconds")
SIGN_OFF = "So Long, and Thanks for All the Fish"


@dataclass
class FakeAgent:
    """Answers every message with its echo and an event, unless `answer` does something else."""

    answer: Callable[[str], Any] = lambda message: None
    context: Any = field(default_factory=lambda: {"context": "", "resources": [], "functions": []})
    opened: list[str] = field(default_factory=list)
    sent: list[tuple[str, str, str]] = field(default_factory=list)
    restored: list[tuple[str, int]] = field(default_factory=list)
    forgets: bool = False

    async def open_session(self, user: str) -> str:
        self.opened.append(f"s{len(self.opened) + 1}")
        await self._act("open")
        return self.opened[-1]

    async def send(self, session_id: str, user: str, message: str) -> AgentReply:
        if self.forgets and session_id not in self.opened:
            raise AgentFailure("unknown session", final=True)
        self.sent.append((session_id, user, message))
        said = await self._act(message)
        return AgentReply(f"You said: {message}" if said is None else said, ({"output": message},))

    async def probe(self, user: str) -> None:
        await self._act("probe")

    async def object_context(self, session_id: str) -> dict[str, Any] | None:
        if self.forgets and session_id not in self.opened:
            raise AgentFailure("unknown session", final=True)
        await self._act("context")
        return self.context  # type: ignore[no-any-return]

    def restore(self, session_id: str, turns: Sequence[Turn]) -> None:
        self.restored.append((session_id, len(turns)))

    async def close(self) -> None:
        """Nothing to close."""

    async def _act(self, message: str) -> Any:
        outcome = self.answer(message)
        if hasattr(outcome, "__await__"):
            outcome = await outcome
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def messages(self) -> list[str]:
        """What it was told, in order."""
        return [message for _, _, message in self.sent]


@dataclass
class FakeGraph:
    """Remembers scripts and queries; a query finds `rows`, or raises what stands there."""

    rows: Any = field(default_factory=lambda: [{"count": 1}])
    fault: BaseException | None = None
    scripts: list[tuple[str, dict[str, Any], float]] = field(default_factory=list)
    observed: list[tuple[str, dict[str, Any], float, int]] = field(default_factory=list)

    async def run_script(self, script: str, parameters: Mapping[str, Any], seconds: float) -> None:
        self.scripts.append((script, dict(parameters), seconds))
        if self.fault is not None:
            raise self.fault

    async def observe(
        self, cypher: str, parameters: Mapping[str, Any], seconds: float, max_rows: int
    ) -> list[dict[str, Any]]:
        self.observed.append((cypher, dict(parameters), seconds, max_rows))
        if isinstance(self.rows, BaseException):
            raise self.rows
        return self.rows  # type: ignore[no-any-return]


@dataclass
class FakeUser:
    """The evaluator model: its lines in order, told from the history as a model would, then the sign-off.

    `says` may answer a request otherwise: a text, or an error to raise.
    """

    lines: Sequence[str] = ("What time is it?", "And the weather?")
    says: Callable[[ChatRequest], Any] = lambda request: None
    requests: list[ChatRequest] = field(default_factory=list)

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        said = self.says(request)
        if hasattr(said, "__await__"):
            said = await said
        if isinstance(said, BaseException):
            raise said
        already = sum(message["role"] == "assistant" for message in request.messages) - 1
        line = self.lines[already] if already < len(self.lines) else SIGN_OFF
        return ChatReply(line if said is None else said)

    def told(self) -> str:
        """Everything that any request held."""
        return json.dumps([list(request.messages) for request in self.requests], ensure_ascii=False)


class MemoryJournal:
    """Keeps entries as a file would: as JSON. After `last` of them the process dies."""

    def __init__(self, entries: Sequence[Entry] = (), last: int | None = None) -> None:
        self.lines = [json.dumps(entry) for entry in entries]
        self._room = None if last is None else last - len(self.lines)

    def entries(self) -> list[Entry]:
        return [json.loads(line) for line in self.lines]

    async def append(self, entry: Entry) -> None:
        if self._room is not None and self._room <= 0:
            raise ProcessDeath
        self._room = None if self._room is None else self._room - 1
        self.lines.append(json.dumps(entry))

    def kinds(self) -> list[str]:
        return [entry["kind"] for entry in self.entries()]


class ProcessDeath(BaseException):
    """The process is killed."""


class Open:
    """A limit that lets everything through; others may be `answered` all the time."""

    answered = False

    def request(self) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    def answered_since(self, moment: float) -> bool:
        return self.answered


@pytest.fixture
def agent() -> FakeAgent:
    return FakeAgent()


@pytest.fixture
def graph() -> FakeGraph:
    return FakeGraph()


@pytest.fixture
def user() -> FakeUser:
    return FakeUser()


@pytest.fixture
def make_journal() -> type[MemoryJournal]:
    return MemoryJournal


@pytest.fixture
def death() -> type[ProcessDeath]:
    return ProcessDeath


@pytest.fixture
def make_world(agent: FakeAgent, graph: FakeGraph, user: FakeUser) -> Callable[..., World]:
    """A world of the three fakes; keys of `conversations` as keyword arguments, other fakes as `agent=` and so on."""

    def make(**changes: Any) -> World:
        parts = {"agent": agent, "graph": graph, "model": user, "agent_limit": Open()}
        parts |= {key: changes.pop(key) for key in list(changes) if key in (*parts, *SETTABLE)}
        quick = {"backoff_seconds": 0.001, "longest_wait_seconds": 0.002}
        clock = itertools.count()
        return World(
            **parts, evaluator_model="sage", agent_version="marcus@1.1.0",
            settings=Settings.model_validate({"limits": {"agent": quick}, "conversations": changes}),
            now=lambda: f"2026-01-01T00:00:{next(clock):02}+00:00",
        )

    return make


@pytest.fixture
def make_job() -> Callable[..., Job]:
    """A job of two tasks, two facts, an expression and a query; keys of the job file as keyword arguments."""

    def make(**keys: Any) -> Job:
        tasks = [
            {"task": "Ask what time it is", "acceptanceCriteria": "Nine in the evening is named without hesitation"},
            {"type": "question", "task": "Ask about the weather", "acceptanceCriteria": "It admits ignorance"},
        ]
        target = {"user": keys.pop("target_user", "alice"), "chatbot": "marcus"}
        default = {
            "name": "chat", "target": target, "facts": ["The user's timezone is Australia/Sydney", "She keeps bees"],
            "assertions": [
                {"expression": "objectContext.resources.isEmpty()"},
                {"cypher": "MATCH (n {user: $user}) RETURN count(n)", "expected": 1},
            ],
        }
        return Job.model_validate({**default, **({} if "scenarios" in keys else {"tasks": tasks}), **keys})

    return make


@pytest.fixture
def planned(make_job: Callable[..., Job]) -> Callable[..., Planned]:
    """The first trial of a job; keys of the job file, and `condition`, as keyword arguments."""

    def make(condition: str = "withheld", **keys: Any) -> Planned:
        return plan([make_job(**keys)], "E", condition)[0]  # type: ignore[arg-type]

    return make


@pytest.fixture
def hold(make_journal: type[MemoryJournal]) -> Callable[[Planned, World], Evidence]:
    """Holds a trial from its beginning."""
    return lambda planned, world: simulated(hold_trial(planned, world, make_journal()))
