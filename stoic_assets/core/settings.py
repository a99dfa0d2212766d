"""The settings of `stoic.yml`: their meaning, units and defaults. Reading the file is the adapters' business."""

from pydantic import Field

from stoic_assets.core.documents import Document
from stoic_assets.core.judging.virtues import Virtue
from stoic_assets.core.ratings.rubric import DimensionName


class EndpointLimit(Document):
    """How hard one endpoint may be pressed."""

    in_flight: int = Field(16, ge=1, description="requests at the same time")
    attempts: int = Field(4, ge=1, description="attempts of one request before it counts as failed")
    backoff_seconds: float = Field(0.1, gt=0, description="first wait between attempts; doubles, with jitter")
    longest_wait_seconds: float = Field(30.0, gt=0, description="no single wait is longer, whatever Retry-After says")
    timeout_seconds: float = Field(60.0, gt=0, description="for one attempt")


class Limits(Document):
    """One limit for each endpoint."""

    agent: EndpointLimit = EndpointLimit()
    evaluator: EndpointLimit = EndpointLimit()
    judge: EndpointLimit = EndpointLimit(in_flight=32)


class Conversations(Document):
    """Bounds of a trial and of what is asked of the subject graph after it."""

    at_once: int = Field(16, ge=1, description="conversations at the same time")
    turn_timeout_seconds: float = Field(120.0, gt=0, description="for one reply with all its attempts")
    trial_timeout_seconds: float = Field(900.0, gt=0, description="for one conversation")
    query_timeout_seconds: float = Field(10.0, gt=0, description="for one assertion query or setup script")
    query_rows: int = Field(1000, ge=1, description="rows an assertion query may return")


class Judging(Document):
    """How verdicts are obtained."""

    samples: int = Field(1, ge=1, le=50, description="verdicts of each judge model on each virtue")
    temperature: float = Field(0.0, ge=0, le=2, description="of the judge models' answers")
    repairs: int = Field(2, ge=0, le=5, description="times a malformed reply is sent back with the reason")


class Weakness(Document):
    """When a virtue counts as weak: score below and confidence above."""

    score_below: float = Field(0.7, ge=0, le=1)
    confidence_above: float = Field(0.7, ge=0, le=1)


class Trend(Document):
    """When the scores of a virtue over releases count as a trend."""

    slope: float = Field(0.02, ge=0, le=1, description="score points a release; smaller slopes are stable")


class Feedback(Document):
    """How feedback of people is read."""

    virtues: dict[str, Virtue] = Field(
        {
            "accuracy": "wisdom",
            "completeness": "wisdom",
            "creativity": "courage",
            "fairness": "justice",
            "appropriateness": "temperance",
            "helpfulness": "practical_wisdom",
        },
        description="dimension of feedback to the virtue it speaks of; a dimension that is not named here is reported",
    )


class Ratings(Document):
    """How ratings of people are read."""

    virtues: dict[DimensionName, Virtue] = Field(
        {
            "appropriateness": "temperance",
            "helpfulness": "practical_wisdom",
            "stoic_authenticity": "wisdom",
            "emotional_intelligence": "justice",
            "actionability": "practical_wisdom",
        },
        description="dimension of the rating page to the virtue that it is taken as a mark of; none must be named",
    )


class Calibration(Document):
    """How the judge is held against people."""

    epsilon: float = Field(
        0.15, ge=0, le=1,
        description="how much less often than a person the judge may be right: 0.2 experts, 0.15 skilled, 0.1 crowd",
    )


class Price(Document):
    """US dollars for a million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


PRICES = {
    "gpt-4.1": Price(input=2.0, output=8.0),
    "gpt-4.1-mini": Price(input=0.4, output=1.6),
    "gpt-4.1-nano": Price(input=0.1, output=0.4),
}
"""The models that are asked by default, and their siblings; a file with `prices` replaces them all."""


class Settings(Document):
    """Everything in `stoic.yml`."""

    invalid_trials_threshold: float = Field(
        0.10, ge=0, le=1, description="share of invalid trials above which no verdict is given"
    )
    limits: Limits = Limits()
    conversations: Conversations = Conversations()
    judging: Judging = Judging()
    weakness: Weakness = Weakness()
    trend: Trend = Trend()
    feedback: Feedback = Feedback()
    ratings: Ratings = Ratings()
    calibration: Calibration = Calibration()
    prices: dict[str, Price] = Field(PRICES, description="model name to price")
    redact: tuple[str, ...] = Field(
        (
            r"sk-[A-Za-z0-9_-]{16,}",
            r"(?i)bearer\s+[A-Za-z0-9._~+/-]{16,}=*",
            r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)",
            r'''(?i)pass(?:word|wd|phrase)["']?\s*[:=]\s*["']?[^\s"',;]{4,}''',
        ),
        description="regular expressions of secrets, blanked in everything that is stored or sent to a judge",
    )
