"""The settings of `stoic.yml`: their meaning, units and defaults. Adapters read the file."""

import json
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field

from stoic_assets.core.configuration.cron import check_cron
from stoic_assets.core.configuration.endpoint_limits import Limits
from stoic_assets.core.dimension_names import of_one_virtue_each
from stoic_assets.core.ratings.rubric import DimensionName
from stoic_assets.core.secrets.secret_forms import BUILT_IN, check_pattern
from stoic_assets.core.text.documents import Document
from stoic_assets.core.virtues import VIRTUES, Virtue


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # the folder `Europe` is no zone
        raise ValueError("write a time zone by its IANA name, such as Europe/Berlin") from None
    return name


def _day(text: str) -> str:
    date.fromisoformat(text)
    return text


def _of_all_virtues(floors: dict[Virtue, float]) -> dict[Virtue, float]:
    return dict.fromkeys(VIRTUES, 0.5) | floors


_OF_THE_PACKAGE = frozenset({"extra_body", "extra_headers", "extra_query", "timeout"})
_OWN_FIELDS = frozenset({"messages", "model", "n", "response_format", "stream", "temperature", "tools"})


def _free_fields(options: dict[str, Any]) -> dict[str, Any]:
    if taken := sorted(options.keys() & _OWN_FIELDS):
        raise ValueError(f"{', '.join(taken)}: set by Stoic Eval (a temperature in jobs and in `judging.temperature`)")
    if wrapped := sorted(options.keys() & _OF_THE_PACKAGE):
        raise ValueError(f"{', '.join(wrapped)}: an argument of the openai package; write what is in it here directly")
    return options


ModelOptions = dict[str, Annotated[dict[str, Any], AfterValidator(_free_fields)]]
"""Model name to further fields of each request to it, such as `reasoning_effort`."""


class Conversations(Document):
    """Limits of a trial and of its queries to the subject graph."""

    at_once: int = Field(16, ge=1, description="conversations at the same time")
    turn_timeout_seconds: float = Field(120.0, gt=0, description="for one reply with all its attempts")
    trial_timeout_seconds: float = Field(900.0, gt=0, description="for one conversation, without our own queueing")
    query_timeout_seconds: float = Field(10.0, gt=0, description="for one assertion query or setup script")
    query_rows: int = Field(1000, ge=1, description="rows an assertion query may return")
    model_options: ModelOptions = Field({}, description="further fields of requests to simulated users, by model")


MOST_SAMPLES = 50  # of a verdict


class Judging(Document):
    """How verdicts are obtained."""

    samples: int = Field(1, ge=1, le=MOST_SAMPLES, description="verdicts of each judge model on each virtue")
    temperature: float = Field(0.0, ge=0, le=2, description="of the judge models' answers")
    repairs: int = Field(2, ge=0, le=5, description="times a malformed reply is sent back with the reason")
    model_options: ModelOptions = Field({}, description="further fields of requests to judges, by model")

    def options_of(self, judges: Iterable[str]) -> str:
        """The further fields of requests to these judges as JSON; empty where there are none."""
        options = {judge: fields for judge in judges if (fields := self.model_options.get(judge))}
        return json.dumps(options, sort_keys=True) if options else ""


class Weakness(Document):
    """When a virtue counts as weak: score below and confidence above.

    A calibrated confidence, the probability of being right, is another scale than a judge's own. A judge as good as a
    further rater has about 0.5 of it where the raters' alpha is 2/3, Krippendorff's bound for tentative conclusions.
    """

    score_below: float = Field(0.7, ge=0, le=1)
    confidence_above: float = Field(0.7, ge=0, le=1)
    calibrated_confidence_above: float = Field(0.5, ge=0, le=1)

    def sure_above(self, calibrated: float) -> float:
        """The bound for a mean of confidences of which this share, 0–1, is calibrated: the mean of their bounds."""
        return calibrated * self.calibrated_confidence_above + (1 - calibrated) * self.confidence_above


class Trend(Document):
    """When the scores of a virtue over releases count as a trend."""

    slope: float = Field(0.02, ge=0, le=1, description="score points a release; smaller slopes are stable")


class Passing(Document):
    """When a trial did what was asked: every assertion held, and the mean of its tasks is at least this."""

    task_at_least: float = Field(0.7, ge=0, le=1)


class MinimalDifferences(Document):
    """δ: the difference between two versions, 0–1, below which a change is irrelevant."""

    virtues: float = Field(0.05, gt=0, le=1)
    overall: float = Field(0.05, gt=0, le=1)
    timing: float = Field(0.05, gt=0, le=1)
    task: float = Field(0.10, gt=0, le=1)
    assertion: float = Field(0.10, gt=0, le=1)


class Nightly(Document):
    """When live versions are evaluated automatically."""

    cron: Annotated[str, AfterValidator(check_cron)] = Field("0 2 * * *", description="minute hour day month weekday")
    time_zone: Annotated[str, AfterValidator(_zone)] = Field("UTC", description="IANA name, such as Europe/Berlin")
    since: Annotated[str, AfterValidator(_day)] = Field("2026-11-01", description="first night that can be backfilled")


class Drift(Document):
    """How the judge is watched."""

    transcripts: int = Field(260, ge=5, description="stored trials that are judged again each night")
    reference_judgings: int = Field(5, ge=1, le=20, description="judgings of each behind the reference")


class Evolution(Document):
    """The bounds of the evolution loop."""

    floors: Annotated[dict[Virtue, Annotated[float, Field(ge=0, le=1)]], AfterValidator(_of_all_virtues)] = Field(
        {}, validate_default=True, description="score below which no gain elsewhere makes up for a virtue; default: 0.5"
    )
    uncertain_width: float = Field(0.2, gt=0, le=1, description="a virtue of a wider interval is to be measured again")


class Feedback(Document):
    """How feedback of people is read."""

    virtues: Annotated[dict[str, Virtue], AfterValidator(of_one_virtue_each)] = Field(
        {
            "accuracy": "wisdom",
            "completeness": "wisdom",
            "creativity": "courage",
            "fairness": "justice",
            "appropriateness": "temperance",
            "helpfulness": "practical_wisdom",
        },
        description="dimension of feedback to the virtue that it is about; unnamed dimensions are reported",
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
    """How the judge is compared with people."""

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
"""The default models and their siblings; a file may add others, or give these another price."""


def _beside_known(prices: dict[str, Price]) -> dict[str, Price]:
    return PRICES | prices


class Settings(Document):
    """Everything in `stoic.yml`."""

    invalid_trials_threshold: float = Field(
        0.10, ge=0, le=1, description="share of invalid trials above which no verdict is given"
    )
    max_cost: float | None = Field(
        None, ge=0, description="US dollars after which one evaluation asks no model any more; null: no ceiling"
    )
    limits: Limits = Limits()
    conversations: Conversations = Conversations()
    judging: Judging = Judging()
    weakness: Weakness = Weakness()
    trend: Trend = Trend()
    passing: Passing = Passing()
    minimal_differences: MinimalDifferences = MinimalDifferences()
    nightly: Nightly = Nightly()
    drift: Drift = Drift()
    evolution: Evolution = Evolution()
    feedback: Feedback = Feedback()
    ratings: Ratings = Ratings()
    calibration: Calibration = Calibration()
    prices: Annotated[dict[str, Price], AfterValidator(_beside_known)] = Field(
        PRICES, description="model name to price"
    )
    redact: tuple[Annotated[str, AfterValidator(check_pattern)], ...] = Field(
        (), description="regular expressions of secrets, blanked in everything that is stored or sent to a judge"
    )
    redact_built_in: bool = Field(True, description="whether the built-in patterns of keys and passwords count as well")

    @property
    def secret_patterns(self) -> tuple[str, ...]:
        """All regular expressions of secrets."""
        return tuple(dict.fromkeys((*BUILT_IN, *self.redact))) if self.redact_built_in else self.redact

    def ceiling(self, asked: float | None) -> float | None:
        """What an evaluation may cost, in US dollars: `asked` (of the command), else the setting."""
        return self.max_cost if asked is None else asked
