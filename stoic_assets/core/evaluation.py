"""What an evaluation is: its resolved specification, which decides whether an interrupted one may be resumed."""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from stoic_assets.core.configuration.settings import MOST_SAMPLES
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.job import MOST_REPEATS, Job
from stoic_assets.core.jobs.plan import ConditionChoice, Planned, plan
from stoic_assets.core.presentation.names import instead_of
from stoic_assets.core.releases import agent_of
from stoic_assets.core.secrets.redaction import Redactor

EVALUATION_TAG = "stoic/evaluation_id"
CONVERSED = "conversed"
"""The status of an evaluation whose conversations are stored, and which was not scored yet."""
FINISHED = "finished"
"""The status of an evaluation that was scored, with all its planned trials and verdicts."""
REGRADING = "regrading"
"""The status of an evaluation from the moment new verdicts begin to replace its old ones until it is scored by them."""
INCOMPLETE = "incomplete"
"""The status of an evaluation whose cost ceiling was reached before all planned trials or verdicts."""
SCORED = (FINISHED, INCOMPLETE)
"""The statuses of evaluations of which every table that judging makes is stored."""
DONE = (FINISHED, REGRADING)
"""The statuses of evaluations whose conversations are complete."""
_LONGEST = 200
"""Characters of an evaluation id. A file's name may have 255, and up to 16 are added (`.weak-virtues.md`)."""


def way_to_finish(agent_version: str, evaluation_id: str, status: str, at_ceiling: bool = False) -> str:
    """The command that finishes this unfinished evaluation; with the same cost ceiling it would end `at_ceiling` again.

    If it is being judged again, that may be with corrected jobs; `--resume` would restore the old ones.
    """
    resume = f"`stoic eval --agent-version {agent_version} --resume {evaluation_id}`"
    again = f"{judge_again(agent_version, evaluation_id)} (same options)" if status == REGRADING else resume
    return f"{again} and a higher --max-cost" if at_ceiling or status == INCOMPLETE else again


def judge_again(agent_version: str, evaluation_id: str, fresh: bool = False) -> str:
    """The command that judges an evaluation again without another conversation, `fresh` without cached verdicts."""
    options = " --fresh" if fresh else ""
    return f"`stoic regrade --agent-version {agent_version} --evaluation {evaluation_id}{options}`"


def half_judged(agent_version: str, evaluation_id: str) -> str:
    """The message for an evaluation that is `REGRADING` while no run works on it."""
    return (
        f"judging evaluation {evaluation_id} of {agent_version} again was cut short; continue with "
        f"{way_to_finish(agent_version, evaluation_id, REGRADING)}"
    )


def never_evaluated(agent_version: str, known: Collection[str]) -> str:
    """The message about a version without an evaluation; `known` are those that have one: it may be meant for one."""
    new = f"run `stoic eval --agent-version {agent_version}`"
    return f"was never evaluated; {f'{instead_of(agent_version, known)}; to evaluate it, ' if known else ''}{new}"


def check_evaluation_id(evaluation_id: str) -> str:
    """`evaluation_id` itself. Raises `ConfigurationError` unless it can name files and folders."""
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", evaluation_id):
        raise ConfigurationError(
            f"{evaluation_id!r} is not an evaluation id: use letters, digits and _ . - only, not beginning with a dot; "
            "`stoic list` shows the ids"
        )
    if len(evaluation_id) > _LONGEST:
        length = f"at most {_LONGEST} characters, not {len(evaluation_id)}"
        raise ConfigurationError(f"an evaluation id has {length}: {evaluation_id[:40]}...")
    return evaluation_id


class ResumeRefused(ConfigurationError):
    """The specification has changed since the evaluation began, so it cannot be resumed."""

    says_how_to_go_on = True


DEFAULT_AGENT_MODEL = "gpt-4.1-mini"
DEFAULT_AGENT_URL = "http://localhost:8081"


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

    def completed(self, begun: "Manifest", files: Sequence[str]) -> "EvaluationRequest":
        """The request, with all that it leaves open as it was when the evaluation `begun` began.

        `files` are its job files, where they are now. What releases, jobs and environment decided is left to them.
        """
        spec, left = begun.spec, {"jobs": [job.name for job in begun.spec.jobs], "files": files}
        resolved = {"conditions": spec.conditions, "repeats": spec.repeats, "judge_samples": spec.judge_samples}
        asked = begun.request.model_dump(include={"model", "agent_url"})
        given = self.model_dump(exclude_defaults=True)
        return EvaluationRequest(**(asked | resolved | ({} if self.names_jobs else left) | given))


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

    def blanked(self, redactor: Redactor) -> "Manifest":
        """The manifest as it is stored. Raises as `Job.blanked` does."""
        update = {"spec": self.spec.blanked(redactor), "request": self.request.blanked(redactor)}
        return self.model_copy(update=update)


def newest_unfinished(
    held: Sequence[Manifest], status: Mapping[str, str], has_begun: Callable[[Manifest], bool]
) -> str | None:
    """The id of the newest of these evaluations, given oldest first, that is not `DONE`; None without one.

    `status` is by evaluation id. One that has not begun is skipped if a later one is done.
    """
    overtaken = False
    for each in reversed(held):
        if status.get(each.evaluation_id) in DONE:
            overtaken = True
        elif not overtaken or has_begun(each):
            return each.evaluation_id
    return None


def refuse_change(begun: Manifest, wanted: EvaluationSpec, redactor: Redactor) -> None:
    """Raises `ResumeRefused`, naming what differs, unless the evaluation began with the specification `wanted`."""
    if begun.spec_hash == wanted.hash():
        return
    then, now = begun.spec.blanked(redactor), wanted.blanked(redactor)
    old, new = then.compared(), now.compared()
    changed = [name for name in EvaluationSpec.model_fields if old.get(name) != new.get(name)]
    called = {
        "jobs": f"jobs ({', '.join(_differing(old['jobs'], new['jobs']))})",
        "prompts_hash": "the built-in prompts (stoic-eval was updated; its former version can resume)",
    }
    named = ", ".join(called.get(name) or f"{name} ({_former(getattr(then, name))})" for name in changed)
    regrade = f"{judge_again(begun.agent_version, begun.evaluation_id)} accepts other judges once all trials are run"
    raise ResumeRefused(
        f"cannot resume, because this changed since the evaluation began: {named or 'a secret in it, or stoic-eval'}; "
        "change it back, or start a new evaluation (without --resume; in Dagster a new run, not a re-execution)"
        f"{f'; {regrade}' if changed == ['judge_models'] else ''}"
    )


def _former(value: Any) -> str:
    """What a part of the specification was, to change it back."""
    if value is None:
        return "it was not set"
    values = value.values() if isinstance(value, Mapping) else value if isinstance(value, tuple) else [value]
    return f"it was {', '.join(dict.fromkeys(map(str, values)))}"


def _differing(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The names of what is new, gone or another."""
    return [name for name in sorted(before | after) if before.get(name) != after.get(name)]


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
