"""The schema of a job file, and what follows from a job as a whole; its entries are in `job_entries.py`.

A job that was read from disk is resolved: it contains the text of its setup files and of its own prompt templates, so
that its hash covers all that determines a conversation.
"""

import hashlib
import json
from collections.abc import Collection, Iterable
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from stoic_assets.core.assertions.cypher_script import parameters_used
from stoic_assets.core.assertions.kotlin.expression import names_in
from stoic_assets.core.assertions.kotlin.syntax import parse_expression
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.job_entries import (
    NAME,
    Assertion,
    CypherAssertion,
    CypherSetup,
    Evaluator,
    ExpressionAssertion,
    Scenario,
    Scorer,
    Seed,
    Setup,
    Target,
    Task,
    Weight,
    Words,
    seed_messages,
)
from stoic_assets.core.jobs.trial import Condition
from stoic_assets.core.secrets.redaction import Redactor
from stoic_assets.core.text.documents import CamelDocument, first_fault, misplaced
from stoic_assets.core.text.yaml_text import KeyPath
from stoic_assets.core.virtues import VIRTUES, Virtue

_QUESTION = "asks:"
"""Prefix of `Job.question_hash`, so that it never equals a `Job.hash`."""
MOST_REPEATS = 10_000
"""Of a trial: a plan is made as a whole, and a slip such as 99999999999 would take all memory."""
_ONE_OF = {"oneOf": [{"required": [key], "properties": {key: {"minItems": 1}}} for key in ("tasks", "scenarios")]}
"""Either tasks or scenarios, in JSON Schema."""
PromptName = Literal["evaluator", "tasks", "wisdom", "courage", "justice", "temperance", "practical_wisdom"]


class Job(CamelDocument, json_schema_extra=_ONE_OF):
    """One job file."""

    name: str = Field("", description="default: the file's stem", json_schema_extra={"pattern": f"^$|{NAME}"})
    tags: tuple[str, ...] = ()
    holdout: bool = Field(False, strict=True, description="counts in verdicts, never sent to the evolution service")
    repeats: int = Field(1, ge=1, le=MOST_REPEATS)
    evaluator: Evaluator = Evaluator()
    scorer: Scorer = Scorer()
    target: Target
    aspirational_average: float | None = Field(None, ge=0, description="milliseconds a reply should take on average")
    max_turns: int = Field(20, ge=1, description="messages of both sides, greeting included")
    trial_timeout_seconds: float | None = Field(None, gt=0)
    settle_seconds: float = Field(0.0, ge=0, description="wait between a conversation's end and the look at the graph")
    greetings: tuple[Words, ...] = Field(("Hello", "Hi", "Greetings", "Yo", "Hey"), min_length=1)
    seeds: tuple[Seed, ...] = ()
    setups: tuple[Setup, ...] = ()
    tasks: tuple[Task, ...] = ()
    facts: tuple[Words, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    virtues: dict[Virtue, Weight] = Field(
        default_factory=dict, description="weights of the virtues in the weighted overall; an unnamed one weighs 1"
    )
    prompts: dict[PromptName, str] = Field(
        default_factory=dict, description="your own Jinja templates, as paths relative to the job file"
    )

    @model_validator(mode="after")
    def is_playable(self) -> "Job":
        """A job has either tasks or scenarios, and no two scenarios or assertions share a name."""
        if bool(self.tasks) == bool(self.scenarios):
            if not self.tasks and (empty := [key for key in ("tasks", "scenarios") if key in self.model_fields_set]):
                raise misplaced("at least one entry is expected", empty[0])
            raise misplaced("a job has either `tasks` or `scenarios`", *(["scenarios"] if self.tasks else []))
        _refuse_duplicates("scenarios", "id", [scenario.id for scenario in self.scenarios])
        _refuse_duplicates("assertions", "name", [key for key, _ in self.keyed_assertions()], taken={"objectContext"})
        if fault := self.protocol_fault():
            place, problem = fault
            raise misplaced(problem, *place)
        return self

    def protocol_fault(self) -> tuple[KeyPath, str] | None:
        """What this job needs and its target's protocol lacks: the place in the job file, and what is wrong there."""
        for number, assertion in enumerate(self.assertions if self.target.protocol == "openai" else ()):
            if isinstance(assertion, ExpressionAssertion) and reads_object_context(assertion.expression):
                problem = "protocol openai has no object context; use `evaluation` or Cypher in assertions"
                return ("assertions", number, "expression"), problem
        return None

    def cypher(self) -> list[str]:
        """Every Cypher text that this job runs on the subject graph."""
        return self.setup_cypher() + [a.cypher for a in self.assertions if isinstance(a, CypherAssertion)]

    def setup_cypher(self) -> list[str]:
        """The Cypher of its setups."""
        return [setup.cypher for setup in self.setups if isinstance(setup, CypherSetup)]

    def seeded_messages(self) -> list[str]:
        """What the user tells the agent in all seeds, in order."""
        return [message for seed in self.seeds for message in seed_messages(seed)]

    def has_own_users(self) -> bool:
        """Whether every trial talks to the agent as a separate user."""
        return "{trial}" in self.target.user

    def is_isolated(self) -> bool:
        """Whether trials of this job cannot see each other's data in the graph: each has its own user or Cypher."""
        own = {"session", "trial"}
        return self.has_own_users() or any(parameters_used(text) & own for text in self.cypher())

    def keyed_assertions(self) -> list[tuple[str, ExpressionAssertion | CypherAssertion]]:
        """Every assertion with its key: its name, else its number from 1."""
        return [(a.name or str(number), a) for number, a in enumerate(self.assertions, 1)]

    def assertions_of(self, condition: Condition) -> list[tuple[str, ExpressionAssertion | CypherAssertion]]:
        """The assertions that apply under `condition`, with their keys."""
        return [(key, a) for key, a in self.keyed_assertions() if a.condition in (None, condition)]

    def scenario(self, scenario_id: str | None) -> Scenario:
        """The scenario with this id. Raises `ConfigurationError` when the job does not have it (any more)."""
        for scenario in self.scenarios:
            if scenario.id == scenario_id:
                return scenario
        raise ConfigurationError(
            f"job {self.name!r} has no scenario {scenario_id!r}; judge with the job of that evaluation (`stoic "
            "regrade --original`)"
        )

    def room(self) -> int:
        """How often the simulated user can speak after the greeting, at most; scenarios need no such user."""
        return 0 if self.scenarios else max(0, (self.max_turns - 1) // 2)

    def hash(self) -> str:
        """SHA-256 over the resolved job; the same for jobs that mean the same, however they are written."""
        return self._hash_without({})

    def _hash_without(self, aside: Any) -> str:
        """The hash without the fields `aside`, and without defaults: a field that a later release adds changes none."""
        held = self.model_dump(mode="json", by_alias=True, exclude=aside, exclude_defaults=True)
        # Judges read the requirements and the context of a task with their keys in the order of the job file.
        tasks = json.dumps(held.pop("tasks", None))
        return hashlib.sha256(json.dumps([held, tasks], sort_keys=True).encode()).hexdigest()

    def blanked(self, redactor: Redactor) -> "Job":
        """The job as it is stored, shown and judged: without secrets, and without the target's headers.

        Raises `ConfigurationError` when a pattern removes more than the secret, so that the rest is no valid job.
        """
        try:
            return Job.model_validate(redactor.row(self.model_dump(mode="json", by_alias=True)))
        except ValidationError as error:
            fault = first_fault(error)
            place = ".".join(str(step) for step in fault["loc"] if not str(step).startswith("`"))
            raise ConfigurationError(
                f"job {self.name}: {place}: no longer valid once `redact` in stoic.yml has replaced a part of it "
                f"({fault['msg'].removeprefix('Value error, ')}); narrow the pattern, or move the secret"
            ) from None

    def question_hash(self) -> str:
        """SHA-256 over what a trial asks, with a prefix; repeats, tags, holdout, URL and protocol do not change it.

        The time-out of a reply does: one that comes too late costs the agent its score.
        """
        aside = {"repeats": True, "tags": True, "holdout": True, "target": {"url", "protocol"}}
        return _QUESTION + self._hash_without(aside)

    def weights(self) -> dict[Virtue, float] | None:
        """The weight of every virtue, or None where the job names none."""
        return {virtue: self.virtues.get(virtue, 1.0) for virtue in VIRTUES} if self.virtues else None


def reads_object_context(expression: str) -> bool:
    """Whether an expression depends on the agent's object context."""
    return "objectContext" in names_in(parse_expression(expression))


def _refuse_duplicates(entries: str, key: str, names: Iterable[str], taken: Collection[str] = ()) -> None:
    """Raises at the first of `entries` whose name an earlier one already has, or which is `taken`."""
    known = set(taken)
    for number, name in enumerate(names):
        if name in known:
            raise misplaced(f"{name!r} is a name already; names must differ", entries, number, key)
        known.add(name)


def job_json_schema() -> dict[str, Any]:
    """JSON Schema, draft 2020-12, so that editors and loader agree, as far as docs/jobs.md says.

    Entries whose kind follows from a key (setups, seeds, assertions) become `oneOf`.
    """
    schema = Job.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Stoic Eval job"}
