"""What a user requests of an evaluation."""

from pydantic import BaseModel, Field

from stoic_assets.core.configuration.settings import MOST_SAMPLES
from stoic_assets.core.jobs.job import MOST_REPEATS
from stoic_assets.core.jobs.plan import ConditionChoice
from stoic_assets.core.secrets.redaction import Redactor


class EvaluationRequest(BaseModel, frozen=True, extra="forbid"):
    """What a user requests; release, jobs and settings decide what is left out."""

    files: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    conditions: ConditionChoice | None = None
    repeats: int | None = Field(None, ge=1, le=MOST_REPEATS)
    judge_samples: int | None = Field(None, ge=1, le=MOST_SAMPLES)
    model: str | None = None
    agent_url: str | None = None

    @property
    def names_jobs(self) -> bool:
        """Whether it selects jobs."""
        return bool(self.files or self.jobs or self.tags)

    def blanked(self, redactor: Redactor) -> "EvaluationRequest":
        """The request as it is stored; names by which files, jobs and tags are found again stay."""
        return self.model_copy(update={"agent_url": self.agent_url and redactor.text(self.agent_url)})
