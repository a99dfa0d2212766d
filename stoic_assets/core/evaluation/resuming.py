"""Which evaluation goes on, and what must not have changed since it began."""

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.next_command import judge_again
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.evaluation.specification import EvaluationSpec
from stoic_assets.core.evaluation.status import DONE
from stoic_assets.core.secrets.redaction import Redactor


class ResumeRefused(ConfigurationError):
    """The specification has changed since the evaluation began, so it cannot be resumed."""

    says_how_to_go_on = True


def filled_in(request: EvaluationRequest, begun: Manifest, files: Sequence[str]) -> EvaluationRequest:
    """The request, with all that it leaves open as it was when the evaluation `begun` began.

    `files` are its job files, where they are now. What releases, jobs and environment decided is left to them.
    """
    spec, left = begun.spec, {"jobs": [job.name for job in begun.spec.jobs], "files": files}
    resolved = {"conditions": spec.conditions, "repeats": spec.repeats, "judge_samples": spec.judge_samples}
    asked = begun.request.model_dump(include={"model", "agent_url"})
    given = request.model_dump(exclude_defaults=True)
    return EvaluationRequest(**(asked | resolved | ({} if request.names_jobs else left) | given))


def newest_unfinished(
    held: Sequence[Manifest], status: Mapping[str, str], has_begun: Callable[[Manifest], bool]
) -> Manifest | None:
    """The newest of these evaluations, given oldest first, that is not `DONE`; None without one.

    `status` is by evaluation id. One that has not begun is skipped if a later one is done.
    """
    overtaken = False
    for each in reversed(held):
        if status.get(each.evaluation_id) in DONE:
            overtaken = True
        elif not overtaken or has_begun(each):
            return each
    return None


def refuse_change(begun: Manifest, wanted: EvaluationSpec, redactor: Redactor) -> None:
    """Raises `ResumeRefused`, naming what differs, unless the evaluation began with the specification `wanted`."""
    if begun.spec_hash == wanted.hash():
        return
    shared = begun.spec.addresses.keys() & wanted.addresses.keys()
    then, now = (_at(spec.blanked(redactor), shared) for spec in (begun.spec, wanted))
    old, new = then.compared(), now.compared()
    changed = [name for name in EvaluationSpec.model_fields if old.get(name) != new.get(name)]
    called = {
        "jobs": f"jobs ({', '.join(_differing(old['jobs'], new['jobs']))})",
        "prompts_hash": "the built-in prompts (stoic-eval was updated; its former version can resume)",
    }
    named = ", ".join(called.get(name) or f"{name} ({_former(getattr(then, name))})" for name in changed)
    regrade = f"{judge_again(*begun.key)} accepts other judges once all trials are run"
    raise ResumeRefused(
        f"cannot resume, because this changed since the evaluation began: {named or 'a secret in it, or stoic-eval'}; "
        "change it back, or start a new evaluation (without --resume; in Dagster a new run, not a re-execution)"
        f"{f'; {regrade}' if changed == ['judge_models'] else ''}"
    )


def _at(spec: EvaluationSpec, jobs: Set[str]) -> EvaluationSpec:
    """The specification with the addresses of these jobs alone: those of others came or went with their jobs."""
    return spec.model_copy(update={"addresses": {job: url for job, url in spec.addresses.items() if job in jobs}})


def _former(value: Any) -> str:
    """What a part of the specification was, to change it back."""
    if value is None:
        return "it was not set"
    values = value.values() if isinstance(value, Mapping) else value if isinstance(value, tuple) else [value]
    return f"it was {', '.join(dict.fromkeys(map(str, values)))}"


def _differing(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The names of what is new, gone or another."""
    return [name for name in sorted(before | after) if before.get(name) != after.get(name)]
