"""A dialogue with a person as metrics, extracted by a model in a strict form and checked against the person's words.

The dialogue may be as hostile as any record: it is fenced and sent in a separate message, as for a judge.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, TypeAdapter

from stoic_assets.core.calls.chat import ChatModel
from stoic_assets.core.configuration.settings import Judging
from stoic_assets.core.feedback.feedback_file import (
    PERSON,
    Acceptance,
    DialogueFile,
    DimensionFeedback,
    Metrics,
    Sentiment,
)
from stoic_assets.core.judging.ask import ask
from stoic_assets.core.judging.confidence import by_own_word
from stoic_assets.core.judging.fence import Block, Record
from stoic_assets.core.judging.grounding import grounded_share
from stoic_assets.core.judging.question import Question
from stoic_assets.core.judging.verdict import (
    SHARE_SCHEMA,
    TEXT_SCHEMA,
    MalformedVerdict,
    Part,
    Share,
    Text,
    object_schema,
    parsed,
    texts_schema,
)
from stoic_assets.core.text import templates

PACKAGE = "stoic_assets.core.feedback"
TEMPLATE = "interpretation.jinja"
USUAL_DIMENSIONS = (
    "accuracy", "helpfulness", "completeness", "creativity", "clarity", "efficiency", "ethics", "safety", "fairness",
    "appropriateness",
)
"""What people commonly talk about; a project's own dimensions are added."""
MOST_DIMENSIONS = 20
MOST_TEXTS = 5


class ExtractedDimension(Part):
    """What the person said on one dimension; the fields are in the order in which the model is to think."""

    dimension: str
    supporting_quotes: Annotated[list[Text], Field(min_length=1, max_length=MOST_TEXTS)]
    sentiment: Sentiment
    improvement_suggestions: Annotated[list[Text], Field(max_length=MOST_TEXTS)]
    score: Share
    confidence: Share


class Extracted(Part):
    """A model's reply."""

    dimension_feedback: Annotated[list[ExtractedDimension], Field(max_length=MOST_DIMENSIONS)]
    improvement_suggestions: Annotated[list[Text], Field(max_length=MOST_TEXTS)]
    acceptance_status: Acceptance | Literal["not_said"]
    overall_satisfaction: Share
    interpretation_confidence: Share


_REPLY: TypeAdapter[Extracted] = TypeAdapter(Extracted)


async def interpret(
    dialogue: DialogueFile, dimensions: Collection[str], model: ChatModel, judge: str, settings: Judging
) -> Metrics:
    """What the person in `dialogue` said, as the model named `judge` understands it.

    `dimensions` are offered in addition to the usual ones. Raises `NoVerdict` when there is no usable reply.
    """
    offered = offered_dimensions(dimensions)
    question = _interpretation_question(dialogue, offered)
    said = [message.content for message in dialogue.dialogue if message.role in PERSON]
    request = question.request(judge, settings.temperature)
    return await ask(model, request, lambda text: _parse_metrics(text, offered, said), settings.repairs)


def offered_dimensions(own: Iterable[str]) -> tuple[str, ...]:
    """The dimensions that a model may name."""
    return tuple(dict.fromkeys([*USUAL_DIMENSIONS, *own]))


def interpreter(judge: str, dimensions: Collection[str]) -> str:
    """The identity of an interpreter: the model and the hash of its prompt. Another one may interpret differently."""
    return f"{judge}/{_prompt_hash(offered_dimensions(dimensions))[:16]}"


def _interpretation_question(dialogue: DialogueFile, offered: Sequence[str]) -> Question:
    """The dialogue as a question, independent of the model that answers."""
    variables = {"dimensions": offered, "person": sorted(PERSON)}
    blocks = (Block(f"message {n}, {m.role}", m.content) for n, m in enumerate(dialogue.dialogue, 1))
    return Question(
        rubric=templates.render(PACKAGE, templates.source(PACKAGE, TEMPLATE), variables, TEMPLATE),
        record=Record(tuple(blocks)),
        schema=metrics_schema(offered),
        schema_name="feedback_metrics",
        prompt_hash=_prompt_hash(offered),
    )


def _parse_metrics(text: str, offered: Collection[str], said: Sequence[str]) -> Metrics:
    """Reads a reply. Raises `MalformedVerdict`.

    Quotes that the person did not say are dropped, and the confidence decreases with their share as a judge's does: by
    half when none is real.
    """
    reply = parsed(text, _REPLY)
    for found in reply.dimension_feedback:
        if found.dimension not in offered:
            raise MalformedVerdict(f"dimension_feedback: {found.dimension[:60]!r} is none of {', '.join(offered)}")
    return Metrics(
        dimension_feedback=tuple(_checked_against(said, found) for found in reply.dimension_feedback),
        improvement_suggestions=tuple(reply.improvement_suggestions),
        overall_satisfaction=reply.overall_satisfaction,
        interpretation_confidence=reply.interpretation_confidence,
        acceptance_status=None if reply.acceptance_status == "not_said" else reply.acceptance_status,
    )


def _checked_against(said: Sequence[str], found: ExtractedDimension) -> DimensionFeedback:
    real = grounded_share(found.supporting_quotes, said) or 0.0
    return DimensionFeedback(
        dimension=found.dimension,
        score=found.score,
        confidence=by_own_word(found.confidence, real) or 0.0,
        supporting_quotes=tuple(quote for quote in found.supporting_quotes if grounded_share([quote], said)),
        improvement_suggestions=tuple(found.improvement_suggestions),
        sentiment=found.sentiment,
    )


def metrics_schema(offered: Sequence[str]) -> dict[str, Any]:
    """Strict JSON Schema of an `Extracted` with these dimensions."""
    dimension = object_schema(
        {
            "dimension": {"type": "string", "enum": list(offered)},
            "supporting_quotes": {**texts_schema(MOST_TEXTS), "minItems": 1},
            "sentiment": {"type": "string", "enum": list(get_args(Sentiment))},
            "improvement_suggestions": texts_schema(MOST_TEXTS),
            "score": SHARE_SCHEMA,
            "confidence": SHARE_SCHEMA,
        }
    )
    return object_schema(
        {
            "dimension_feedback": {"type": "array", "items": dimension, "maxItems": MOST_DIMENSIONS},
            "improvement_suggestions": texts_schema(MOST_TEXTS),
            "acceptance_status": {**TEXT_SCHEMA, "enum": [*get_args(Acceptance), "not_said"]},
            "overall_satisfaction": SHARE_SCHEMA,
            "interpretation_confidence": SHARE_SCHEMA,
        }
    )


def _prompt_hash(offered: Sequence[str]) -> str:
    texts = templates.sources(PACKAGE, templates.source(PACKAGE, TEMPLATE))
    return hashlib.sha256(json.dumps([*texts, metrics_schema(offered)]).encode()).hexdigest()
