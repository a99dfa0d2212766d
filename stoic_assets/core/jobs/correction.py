"""Which parts of a job may be corrected after its conversations: those that only judges, assertions or scores use."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, get_args

from pydantic import BaseModel

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.jobs.job import Job, PromptName
from stoic_assets.core.jobs.job_entries import CypherAssertion, ExpressionAssertion
from stoic_assets.core.jobs.slips import never_holds
from stoic_assets.core.jobs.trial import Condition
from stoic_assets.core.presentation.formatting import listed
from stoic_assets.core.secrets.redaction import BLANK
from stoic_assets.core.text.documents import dotted

_USED_AFTERWARDS: Any = {
    "tags": True, "holdout": True, "scorer": True, "aspirational_average": True, "virtues": True,
    "tasks": {"__all__": {"acceptance_criteria", "difficulty", "requirements", "context"}},
    "prompts": set(get_args(PromptName)) - {"evaluator"},
    "evaluator": {"prompt"},  # the name of a template whose text is in `prompts`
    "target": {"url", "protocol", "timeout_seconds"},  # how the agent is reached; it is not called again
    "assertions": True,  # checked one by one
}  # fmt: skip
_OF_ASSERTIONS = {"expected", "weight", "expression"}
"""What may be corrected in an assertion."""


class Correction(BaseModel, frozen=True):
    """Jobs to judge an evaluation by, in place of the jobs of the same name that its conversations used.

    `job_hashes` gives the `Job.question_hash` of each of these jobs, by name, from before it was blanked.
    """

    jobs: tuple[Job, ...] = ()
    job_hashes: dict[str, str] = {}


def corrected_jobs(jobs: Iterable[Job], held: Sequence[Job]) -> dict[str, Job]:
    """The jobs to judge by, under their names: those of `held`, the jobs of the conversations, replaced by `jobs`.

    Raises `ConfigurationError` for a job that is not in `held`, or that needs other conversations or queries.
    """
    by_name = {job.name: job for job in held}
    return by_name | {job.name: _corrected(job, by_name) for job in jobs}


def refuse_slips(corrected: Iterable[Job], before: Iterable[Job]) -> None:
    """Raises `ConfigurationError` for an expression that can never be true, and that the same job had not `before`."""
    known = {(job.name, each.expression) for job in before for _, each in _expressions(job)}
    for job in corrected:
        for number, assertion in _expressions(job):
            if (job.name, assertion.expression) not in known:
                for key, problem in never_holds(assertion):
                    raise ConfigurationError(f"job {job.name}: {dotted(('assertions', number, key))}: {problem}")


def _expressions(job: Job) -> Iterator[tuple[int, ExpressionAssertion]]:
    """Each expression with its position among the assertions."""
    return ((n, each) for n, each in enumerate(job.assertions) if isinstance(each, ExpressionAssertion))


def _corrected(job: Job, held: dict[str, Job]) -> Job:
    """The job with the stored target, which may come from a release, and blanked as stored where it cannot change.

    What may be corrected stays as it is given: whether a blanked text is another one now cannot be known.
    """
    if job.name not in held:
        raise ConfigurationError(f"job {job.name} was not part of the evaluation; its jobs are {', '.join(held)}")
    before = held[job.name]
    taken = {**_USED_AFTERWARDS, "assertions": {"__all__": _OF_ASSERTIONS}}
    then = before.model_dump(mode="json", by_alias=True, exclude=taken)
    job = Job.model_validate(_blanked_as(then, job.model_dump(mode="json", by_alias=True)))
    _refuse_other_conversations(job, before)
    _refuse_other_queries(job, before)
    corrected = job.model_copy(update={"target": before.target})
    if fault := corrected.protocol_fault():
        place, problem = fault
        raise ConfigurationError(f"job {job.name}: {dotted(place)}: {problem}")
    return corrected


def _refuse_other_conversations(job: Job, held: Job) -> None:
    then, now = (each.model_dump(mode="json", by_alias=True, exclude=_USED_AFTERWARDS) for each in (held, job))
    if changed := list(_differences(then, now)):
        raise ConfigurationError(
            f"job {job.name}: {listed(changed)} cannot be corrected afterwards: the conversations "
            "took place with the old values; change them back, or run a new evaluation"
        )


def _differences(then: Any, now: Any, path: tuple[str | int, ...] = ()) -> Iterator[str]:
    """Where two JSON documents differ, as `tasks[0].task`."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key in then | now:
            yield from _differences(then.get(key), now.get(key), (*path, key))
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for number, pair in enumerate(zip(then, now, strict=True)):
            yield from _differences(*pair, (*path, number))
    elif json.dumps(then) != json.dumps(now):  # as text: to Python 1, 1.0 and true are equal
        yield dotted(path)


def _blanked_as(then: Any, now: Any) -> Any:
    """`now`, blanked wherever `then` is: `redact` may have changed since, but the evidence is stored blanked."""
    if isinstance(then, dict) and isinstance(now, dict):
        return {key: _blanked_as(then.get(key), value) for key, value in now.items()}
    if isinstance(then, list) and isinstance(now, list):
        return [_blanked_as(*pair) for pair in zip_longest(then[: len(now)], now)]
    texts = isinstance(then, str) and isinstance(now, str)
    if texts and BLANK in then and BLANK not in now and _is_rest_of(then, now):
        return then
    return now


def _is_rest_of(blanked: str, text: str) -> bool:
    """Whether blanking parts of `text` may have given `blanked`."""
    first, *middle, last = map(re.escape, blanked.split(BLANK))
    between = "".join(f"(?>.*?{part})" for part in middle)  # atomic: many blanks must not take exponential time
    return re.fullmatch(f"{first}{between}.*{last}", text, re.DOTALL) is not None


def _refuse_other_queries(job: Job, held: Job) -> None:
    """Expected values and weights may be corrected, queries may not: the graph has changed since the trials."""
    for condition in get_args(Condition):
        asked = dict(_queries(held, condition))
        for key, query in _queries(job, condition):
            if asked.get(key) != query:
                raise ConfigurationError(
                    f"job {job.name}: the query of assertion {key} was not run when the trials ended, so it has no "
                    "rows to check; keep the query, parameters, name, condition and position (`weight: 0` leaves an "
                    "assertion out), or run a new evaluation"
                )


def _queries(job: Job, condition: Condition) -> Iterator[tuple[str, str]]:
    """Each query under the assertion's key, with its own parameters."""
    for key, assertion in job.assertions_of(condition):
        if isinstance(assertion, CypherAssertion):
            yield key, json.dumps([assertion.cypher, assertion.parameters], sort_keys=True)
