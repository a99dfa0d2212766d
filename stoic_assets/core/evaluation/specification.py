"""What an evaluation is: its resolved specification, which decides whether an interrupted one may be resumed."""

import hashlib
import json
from typing import Any

from pydantic import BaseModel

from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.plan import ConditionChoice, Planned, plan
from stoic_assets.core.secrets.redaction import Redactor

DEFAULT_AGENT_MODEL = "gpt-4.1-mini"
DEFAULT_AGENT_URL = "http://localhost:8081"


class EvaluationSpec(BaseModel, frozen=True):
    """Everything that determines the conversations and verdicts of an evaluation, resolved.

    `addresses` maps job names to the agent's URL. Secrets are never stored: a specification that was read back is
    `blanked`, and has no headers.
    """

    jobs: tuple[Job, ...]
    addresses: dict[str, str]
    conditions: ConditionChoice | None = None
    repeats: int | None = None
    agent_model: str
    evaluator_model: str
    judge_models: tuple[str, ...]
    judge_samples: int
    prompts_hash: str

    def hash(self) -> str:
        """SHA-256 of the specification; neither the order of jobs nor a field that a later release adds changes it."""
        return hashlib.sha256(json.dumps(self.compared(), sort_keys=True).encode()).hexdigest()

    def compared(self) -> dict[str, Any]:
        """What is not a default, in values that are equal where it means the same: jobs as their hashes by name."""
        others = self.model_dump(mode="json", exclude={"jobs"}, exclude_defaults=True)
        return {"jobs": {job.name: job.hash() for job in self.jobs}, **others}

    def blanked(self, redactor: Redactor) -> "EvaluationSpec":
        """The specification as it is stored and shown. Raises as `Job.blanked` does."""
        jobs = tuple(job.blanked(redactor) for job in self.jobs)
        addresses = {job: redactor.text(address) for job, address in self.addresses.items()}
        return self.model_copy(update={"jobs": jobs, "addresses": addresses})

    def plan(self, evaluation_id: str) -> list[Planned]:
        """The trials of this evaluation."""
        return plan(self.jobs, evaluation_id, self.conditions, self.repeats)
