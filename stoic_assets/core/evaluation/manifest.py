"""The head of an evaluation's evidence, and its row in the warehouse."""

from typing import Any

from pydantic import BaseModel

from stoic_assets.core.evaluation.evaluation_id import EvaluationKey
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.evaluation.specification import EvaluationSpec
from stoic_assets.core.releases import agent_of
from stoic_assets.core.secrets.redaction import Redactor


class Manifest(BaseModel, frozen=True):
    """The head of an evaluation's evidence. `started_at` is UTC ISO 8601; it decides which evaluation is the newest.

    `spec_hash`, and `job_hashes` (`Job.question_hash` by job name), are those of the specification before it was
    blanked. `request` is what was asked for, with files relative to the project where they are in it; manifests that
    were stored before requests were have an empty one.
    """

    evaluation_id: str
    agent_version: str
    started_at: str
    offline: bool
    released_at: str | None = None
    parents: tuple[str, ...] = ()
    run_id: str
    spec: EvaluationSpec
    request: EvaluationRequest = EvaluationRequest()
    spec_hash: str
    job_hashes: dict[str, str]

    @property
    def key(self) -> EvaluationKey:
        """Which evaluation it is."""
        return self.agent_version, self.evaluation_id

    def blanked(self, redactor: Redactor) -> "Manifest":
        """The manifest as it is stored. Raises as `Job.blanked` does."""
        update = {"spec": self.spec.blanked(redactor), "request": self.request.blanked(redactor)}
        return self.model_copy(update=update)


def evaluation_row(
    manifest: Manifest, status: str, ended_at: str | None, stoic_eval: str, **counts: Any
) -> dict[str, Any]:
    """The row of table `evaluations`, as the release `stoic_eval` of this program made it."""
    spec = manifest.spec
    return {
        "evaluation_id": manifest.evaluation_id, "agent": agent_of(manifest.agent_version),
        "started_at": manifest.started_at, "ended_at": ended_at, "status": status, "offline": manifest.offline,
        "agent_model": spec.agent_model, "evaluator_model": spec.evaluator_model,
        "judge_models": list(spec.judge_models), "spec_hash": manifest.spec_hash, "prompt_hash": spec.prompts_hash,
        "released_at": manifest.released_at, "parents": list(manifest.parents), "stoic_eval": stoic_eval, **counts,
    }
