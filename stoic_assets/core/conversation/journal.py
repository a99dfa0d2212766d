"""The journal of a trial: an entry for everything that must not be paid or done twice, and the state they result in."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from stoic_assets.core.conversation.evidence import SCORED, Evidence, Observation, Outcome, Turn
from stoic_assets.core.jobs.trial import Trial
from stoic_assets.core.presentation.formatting import plural

Entry = Mapping[str, Any]


class Journal(Protocol):
    """Entries of one trial, in the order of writing; `entries` are those of earlier runs.

    `append` returns once the entry would survive a power cut.
    """

    def entries(self) -> list[Entry]: ...

    async def append(self, entry: Entry) -> None: ...


@dataclass
class TrialState:
    """The state of a trial; `problem` is what the last failed message met.

    `attempt` counts its starts from 1, without those that left nothing behind: no setup, seed, session or end.
    """

    attempt: int = 1
    started_at: str | None = None
    prepared: bool = False
    session_id: str | None = None
    turns: list[Turn] = field(default_factory=list)
    failure_count: int = 0
    problem: str | None = None
    end: Entry | None = None

    @classmethod
    def replay(cls, entries: Iterable[Entry]) -> "TrialState":
        """The state after `entries`."""
        state = cls()
        for entry in entries:
            state.apply(entry)
        return state

    def apply(self, entry: Entry) -> None:
        """Applies one entry; `began` discards all before it."""
        match entry["kind"]:
            case "began":
                self.attempt += self.prepared or self.session_id is not None or self.end is not None
                self.started_at, self.prepared, self.session_id, self.end = entry["at"], False, None, None
                self.turns, self.failure_count, self.problem = [], 0, None
            case "prepares":
                self.prepared = True
            case "session":
                self.session_id = entry["session_id"]
            case "turn":
                self.turns.append(Turn(**{**entry["turn"], "events": tuple(entry["turn"]["events"])}))
                self.failure_count += entry["failures"]
                self.problem = entry.get("problem") or self.problem
            case "ended":
                self.failure_count += entry["failures"]
                self.end = entry

    def is_over(self, may_restart: bool) -> bool:
        """Whether its end is final: one that counts for the agent, or that of a trial that may not start again."""
        return self.end is not None and (self.end["outcome"] in SCORED or not may_restart)

    def evidence(self, trial: Trial, evaluator_model: str) -> Evidence:
        """What a trial that has ended left behind."""
        if self.end is None or self.started_at is None:
            raise ValueError("only an ended trial has evidence")
        return Evidence(
            trial=trial,
            outcome=self.end["outcome"],
            turns=tuple(self.turns),
            observations=tuple(Observation(**observation) for observation in self.end["observations"]),
            session_id=self.session_id or "",
            failure_count=self.failure_count,
            started_at=self.started_at,
            ended_at=self.end["at"],
            evaluator_model=evaluator_model,
            detail=self.end["detail"] or self._failed_messages(),
        )

    def _failed_messages(self) -> str | None:
        """What the attempts met that failed before the agent replied after all; None without any."""
        attempts = plural(self.failure_count, "attempt")
        return f"{attempts} to send a message failed; the last: {self.problem}" if self.problem else None


def began(at: str) -> Entry:
    """The trial starts, or starts again."""
    return {"kind": "began", "at": at}


def prepares() -> Entry:
    """Setups and seeds begin: whatever follows, graph or agent may know the user of this attempt."""
    return {"kind": "prepares"}


def session(session_id: str) -> Entry:
    """Setups and seeds are done, and the agent opened the session of the conversation."""
    return {"kind": "session", "session_id": session_id}


def said(turn: Turn, failures: int = 0, problem: str | None = None) -> Entry:
    """A message was written (user) or received (agent), after `failures`, of which the last met `problem`."""
    known = {"problem": problem} if problem else {}
    return {"kind": "turn", "turn": dict(vars(turn)), "failures": failures, **known}


def ended(at: str, outcome: Outcome, detail: str | None, failures: int, observations: Iterable[Observation]) -> Entry:
    """The trial is over; a later run repeats it only if it is invalid."""
    return {
        "kind": "ended", "at": at, "outcome": outcome, "detail": detail, "failures": failures,
        "observations": [asdict(observation) for observation in observations],
    }
