"""What a trial leaves behind: its turns, its observations of the agent's world, and how it ended."""

from dataclasses import dataclass, field
from typing import Any, Literal

from stoic_assets.core.jobs.trial import Trial

Outcome = Literal["signed_off", "max_turns", "agent_error", "evaluator_error", "judge_error", "infra_error"]
PLAIN: frozenset[str] = frozenset({"signed_off", "max_turns"})
"""Outcomes of a conversation that ended regularly; any other outcome has a reason."""
SCORED: frozenset[str] = PLAIN | {"agent_error"}
"""Outcomes that the agent is responsible for; trials with any other outcome count as invalid."""


@dataclass(frozen=True)
class Turn:
    """One message. `turn` counts from 0; `response_ms`, `attempts` are those of an agent's reply (0 for the user)."""

    turn: int
    speaker: Literal["user", "agent"]
    content: str
    response_ms: float = 0.0
    attempts: int = 0
    events: tuple[dict[str, Any], ...] = ()

    @property
    def role(self) -> Literal["user", "assistant"]:
        """Whose message it is, as chat completions and Embabel name it."""
        return "assistant" if self.speaker == "agent" else "user"


@dataclass(frozen=True)
class Observation:
    """The raw result of one assertion's query, or the object context (`assertion` = `objectContext`).

    `result` is JSON-safe: for Cypher the list of rows, for the object context the wire object.
    """

    assertion: str
    kind: Literal["cypher", "object_context"]
    text: str
    parameters: dict[str, Any] = field(default_factory=dict)
    result: Any = None
    error: str | None = None


@dataclass(frozen=True)
class Evidence:
    """All that one trial left. Times are UTC ISO 8601.

    `detail` says in one line why it ended irregularly, else what a failed attempt to send a message met, if any failed.
    """

    trial: Trial
    outcome: Outcome
    turns: tuple[Turn, ...]
    observations: tuple[Observation, ...]
    session_id: str
    failure_count: int
    started_at: str
    ended_at: str
    evaluator_model: str
    detail: str | None = None
