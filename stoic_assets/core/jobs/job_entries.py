"""The blocks and list entries of a job: persona, target, tasks, setups, seeds, assertions, scenarios."""

import difflib
from itertools import chain
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, WithJsonSchema, field_validator

from stoic_assets.core.assertions.kotlin.syntax import parse_expression
from stoic_assets.core.errors import ExpressionError
from stoic_assets.core.jobs.trial import Condition
from stoic_assets.core.text.documents import CamelDocument

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$"
"""Names that are part of file names, whatever the file system."""

# The following say in JSON Schema what `slips` refuses. A job itself does not, for the reason given there.
_WRITTEN = {"type": "string", "pattern": r"\S"}
Words = Annotated[str, WithJsonSchema(_WRITTEN)]
"""A text that somebody is told, and that must not be blank."""
_UserName = Annotated[str, WithJsonSchema({**_WRITTEN, "allOf": [{"pattern": r"^([^{}]|\{trial\})*$"}]})]
_Address = Annotated[str, WithJsonSchema({"type": "string", "pattern": r"^$|^\s*[Hh][Tt][Tt][Pp][Ss]?://[^/?#\s]"})]
MOST_WEIGHT = 1e9
"""Above it an average may be no finite number. `slips` says why JSON Schema has this bound and a job has not."""
Weight = Annotated[float, Field(ge=0, json_schema_extra={"maximum": MOST_WEIGHT})]
_BY_USER: dict[str, Any] = {"properties": {"role": {"const": "user"}}}
"""The user's messages in JSON Schema, those without a role included."""


def by_key(*keys: str) -> Discriminator:
    """Distinguishes the kinds of an entry by the key that it has, as the source format does (no type tag).

    A kind's name is its key in backticks: with the bare key, the location of an error would be ambiguous. An entry
    with a misspelt key is of the nearest kind, which then reports the typo; an entry with two of the keys is of none.
    """

    def kind(entry: Any) -> str | None:
        held = entry if isinstance(entry, dict) else entry.model_fields_set if isinstance(entry, CamelDocument) else ()
        found = [key for key in keys if key in held]
        near = (match for key in held for match in difflib.get_close_matches(str(key).lower(), keys, n=1))
        return None if len(found) > 1 else next((f"`{key}`" for key in chain(found, near)), None)

    offer = " or ".join(f"`{key}`" for key in keys)
    return Discriminator(
        kind, custom_error_type="no_kind", custom_error_message=f"exactly one of the keys {offer} is required",
        custom_error_context=None,
    )


class Evaluator(CamelDocument):
    """The simulated user's persona."""

    name: str = "Socrates"
    voice: str = "You speak like a friendly, relaxed human"
    prompt: str = Field("eval/socrates", description="name of the built-in prompt, or the path of your own template")
    temperature: float = Field(0.5, ge=0, le=2)
    signoff: Words = Field("So Long, and Thanks for All the Fish", min_length=1)


class Scorer(CamelDocument):
    """The judge of tasks and tone."""

    prompt: str = Field("eval/score", description="name of the built-in prompt, or the path of your own template")
    temperature: float = Field(0.0, ge=0, le=2)


class Target(CamelDocument):
    """The agent to talk to. With `{trial}` in `user`, every trial has its own user."""

    user: _UserName
    chatbot: Words
    url: _Address | None = None
    protocol: Literal["embabel", "openai"] = "embabel"
    headers: dict[str, str] = Field(
        default_factory=dict, exclude=True, description="values may be ${ENV_NAME}; never stored"
    )
    timeout_seconds: float | None = Field(None, gt=0)


class Task(CamelDocument):
    """One thing the simulated user wants; only the judge sees the acceptance criteria."""

    type: Literal["question", "task"] = "task"
    task: Words
    acceptance_criteria: str
    difficulty: str = "medium"
    requirements: dict[str, Any] | list[Any] | str | None = None
    context: dict[str, Any] | list[Any] | str | None = None


PARAMETERS = ("user", "session", "trial", "agent_version")
"""The parameters that the Cypher of every job may use, with a `$` in front; `World.parameters` fills them."""


class CypherSetup(CamelDocument):
    """A Cypher script that prepares the subject graph before every trial."""

    cypher: Words


class FileSetup(CamelDocument):
    """A Cypher script in a file, relative to the job file."""

    file: str


Setup = Annotated[
    Annotated[CypherSetup, Tag("`cypher`")] | Annotated[FileSetup, Tag("`file`")], by_key("cypher", "file")
]


class SeedMessage(CamelDocument, json_schema_extra={"if": _BY_USER, "then": {"properties": {"content": _WRITTEN}}}):
    """One message of a seed conversation; only the user's are sent."""

    role: Literal["user", "assistant", "system", "tool"] = "user"
    content: str


class TextSeed(CamelDocument):
    """A text that is sent to the agent as one message in a separate session."""

    text: Words


class ConversationSeed(CamelDocument):
    """An earlier conversation, replayed in a separate session."""

    conversation: tuple[SeedMessage, ...] = Field(json_schema_extra={"contains": _BY_USER})


Seed = Annotated[
    Annotated[TextSeed, Tag("`text`")] | Annotated[ConversationSeed, Tag("`conversation`")],
    by_key("text", "conversation"),
]


def seed_messages(seed: Seed) -> list[str]:
    """The messages of a seed that are sent to the agent: a text as one message, of a conversation the user's part."""
    if isinstance(seed, TextSeed):
        return [seed.text]
    return [message.content for message in seed.conversation if message.role == "user"]


class ExpressionAssertion(CamelDocument):
    """A Kotlin expression over `objectContext` and `evaluation` that must be true."""

    expression: Words
    weight: Weight = 1.0
    name: str | None = None
    condition: Condition | None = None

    @field_validator("expression")
    @classmethod
    def is_supported(cls, text: str) -> str:
        """Refuses at load what the evaluator cannot run."""
        try:
            parse_expression(text)
        except ExpressionError as error:
            raise ValueError(str(error)) from None
        return text


class CypherAssertion(CamelDocument):
    """A query over the subject graph whose one value must equal `expected`."""

    cypher: Words
    expected: bool | int | float | str | list[Any] | dict[str, Any]
    weight: Weight = 1.0
    name: str | None = None
    condition: Condition | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)


Assertion = Annotated[
    Annotated[ExpressionAssertion, Tag("`expression`")] | Annotated[CypherAssertion, Tag("`cypher`")],
    by_key("expression", "cypher"),
]


class Scenario(CamelDocument):
    """One user input that is a trial by itself; `expected` is hidden from evaluator, judge and raters."""

    id: str = Field(pattern=NAME)
    category: str
    input: Words = Field(min_length=1)
    rationale: str | None = None
    expected: dict[str, Any] = Field(default_factory=dict)
    pad_baseline: dict[str, float] | None = None
