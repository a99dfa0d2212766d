"""Files with people's feedback: metrics by dimension, or a dialogue from which a model extracts them.

Only the form is defined here; `translation` maps the dimensions to virtues.
"""

import hashlib
import json
import re
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.judging.verdict import Share
from stoic_assets.core.moments import checked_moment, in_utc
from stoic_assets.core.releases import agent_of, check_agent_version
from stoic_assets.core.text.documents import Document, parse_document
from stoic_assets.core.text.json_text import why_not_json

Sentiment = Literal["very_negative", "negative", "neutral", "positive", "very_positive"]
Acceptance = Literal["accepted", "needs_improvement", "rejected"]
Role = Literal["human", "user", "agent", "assistant", "interviewer"]
PERSON: frozenset[Role] = frozenset({"human", "user"})
"""The roles of the person whose feedback it is."""

_ODD_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")

Name = Annotated[str, Field(min_length=1)]


class DimensionFeedback(Document):
    """What a person said on one dimension; score and confidence are 0–1."""

    dimension: Name
    score: Share
    confidence: Share
    supporting_quotes: tuple[str, ...] = ()
    improvement_suggestions: tuple[str, ...] = ()
    sentiment: Sentiment | None = None


class Metrics(Document):
    """What one person said about one piece of work. `improvement_suggestions` are those that belong to no dimension.

    Missing satisfaction and confidence are computed from all dimensions; see `human_evaluation`.
    """

    dimension_feedback: tuple[DimensionFeedback, ...]
    improvement_suggestions: tuple[str, ...] = ()
    overall_satisfaction: Share | None = None
    interpretation_confidence: Share | None = None
    acceptance_status: Acceptance | None = None

    @model_validator(mode="after")
    def _say_something(self) -> "Metrics":
        overall = self.overall_satisfaction, self.interpretation_confidence
        if not self.dimension_feedback and None in overall:
            raise ValueError("overall_satisfaction and interpretation_confidence are required: there is no dimension")
        return self


def _version(key: str) -> str:
    try:
        return check_agent_version(key)
    except ConfigurationError as error:
        raise ValueError(str(error)) from None


class About(Document):
    """What the feedback is about: a version, or an agent, meaning its newest version; `timestamp` is ISO 8601."""

    agent_version: Annotated[str, AfterValidator(_version)] | None = None
    agent_id: Annotated[str, Field(pattern="^[^@]+$")] | None = None
    task_id: Name
    timestamp: Annotated[str, AfterValidator(checked_moment)] | None = None

    @model_validator(mode="after")
    def _say_whom(self) -> "About":
        if self.agent_version is None and self.agent_id is None:
            raise ValueError("agent_version is required (or agent_id, for the newest version)")
        if self.agent_version and self.agent_id not in (None, self.agent):
            raise ValueError(f"agent_id {self.agent_id!r} is not the agent of {self.agent_version}; leave one out")
        return self

    @property
    def agent(self) -> str:
        """The agent."""
        return agent_of(self.agent_version or self.agent_id or "")

    @property
    def given_at(self) -> datetime | None:
        """When the feedback was given, if the file says so; a time without a zone is in UTC."""
        return in_utc(self.timestamp) if self.timestamp else None

    @property
    def feedback_id(self) -> str:
        """An id that is the same for the same content, however the file is written."""
        return f"feedback-{hashlib.sha256(self.model_dump_json(exclude_defaults=True).encode()).hexdigest()[:32]}"


class MetricsFile(About, Metrics):
    """A file of metrics."""

    @property
    def metrics(self) -> Metrics:
        """The metrics alone, without the fields of `About`."""
        return Metrics(**{name: getattr(self, name) for name in Metrics.model_fields})


class Message(Document):
    """One message of a dialogue about an agent's work."""

    role: Role
    content: str


class DialogueFile(About):
    """A file of a dialogue with the person."""

    dialogue: tuple[Message, ...]

    @model_validator(mode="after")
    def _let_the_person_speak(self) -> "DialogueFile":
        if not any(message.role in PERSON for message in self.dialogue):
            raise ValueError(f"dialogue has no message of the person (role {' or '.join(sorted(PERSON))})")
        return self


FeedbackFile = MetricsFile | DialogueFile


def parse_feedback(text: str, source: str) -> FeedbackFile:
    """Reads one JSON file. Raises `DocumentError`, naming file, line and key of the first fault."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        problem = f"not valid JSON: {why_not_json(error)}"
        raise DocumentError(source, getattr(error, "lineno", None), "", problem) from None
    # The YAML reader gives the lines, but allows no tabs; in valid JSON they occur only between values. It refuses some
    # characters and takes others for ends of lines; in valid JSON they occur only in texts, where both know escapes.
    plain = _ODD_IN_YAML.sub(lambda found: json.dumps(found[0])[1:-1], text.replace("\t", " "))
    try:
        if isinstance(data, dict) and "dialogue" in data:
            return parse_document(plain, DialogueFile, source)
        return parse_document(plain, MetricsFile, source)
    except DocumentError as fault:
        problem = fault.problem.replace("not valid YAML", "not valid JSON")
        raise DocumentError(source, fault.line, fault.key, problem) from None
