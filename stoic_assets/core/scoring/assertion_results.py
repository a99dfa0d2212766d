"""Assertions decided from stored evidence: expected against observed. Neither agent nor graph is called again."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from stoic_assets.core.assertions import bindings
from stoic_assets.core.assertions.equality import describe_difference, equals, single_value
from stoic_assets.core.assertions.kotlin.evaluation import check
from stoic_assets.core.assertions.kotlin.expression import names_in
from stoic_assets.core.assertions.kotlin.syntax import parse_expression
from stoic_assets.core.conversation.evidence import Evidence, Observation
from stoic_assets.core.conversation.observation import NO_SESSION, OBJECT_CONTEXT
from stoic_assets.core.errors import StoicError
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import CypherAssertion, ExpressionAssertion
from stoic_assets.core.secrets.redaction import Redactor
from stoic_assets.core.table_rows import Rows
from stoic_assets.core.text.json_text import json_text


@dataclass(frozen=True)
class AssertionResult:
    """A row of `assertion_results`.

    `expected` and `actual` are JSON texts; `actual` is None when no value was found, `passed` when nothing was
    observed.
    """

    trial_id: str
    assertion: str
    kind: str
    text: str
    weight: float
    expected: str | None
    actual: str | None
    passed: bool | None
    error: str | None


def decide(job: Job, evidence: Evidence, agent_model: str, redactor: Redactor) -> list[AssertionResult]:
    """Every assertion of the job that applies under the trial's condition, decided; `redactor` blanked the evidence.

    An assertion whose query or expression has an error has failed. If its trial lost the graph, or never had the
    session whose object context it reads, it was not observed: `passed` is None.
    """
    seen = {observation.assertion: observation for observation in evidence.observations}
    visible = _Visible(evidence, job, seen.get(OBJECT_CONTEXT), agent_model)
    results = []
    for key, assertion in job.assertions_of(evidence.trial.condition):
        if isinstance(assertion, CypherAssertion):
            kind, text, found = "cypher", assertion.cypher, _of_cypher(assertion, seen.get(key), redactor)
        else:
            kind, text, found = "expression", assertion.expression, _of_expression(assertion, visible)
        results.append(AssertionResult(evidence.trial.trial_id, key, kind, text, assertion.weight, *found))
    return results


@dataclass(frozen=True)
class _Visible:
    """What the expressions of one trial read. Each part is made once, when the first of them reads it.

    Making it for each of 20 expressions took 1 CPU second of every trial with an object context of 5 MB. Expressions
    can share one, as no function of theirs changes what it is given.
    """

    evidence: Evidence
    job: Job
    seen: Observation | None
    agent_model: str

    def of(self, names: Collection[str]) -> dict[str, Any]:
        """Only what an expression reads: malformed data of the agent fails only assertions that use it.

        Raises `StoicError` where that cannot be made.
        """
        found: dict[str, Any] = {}
        if "objectContext" in names:
            found["objectContext"] = self._object_context
        if "evaluation" in names:
            found["evaluation"] = self._evaluation
        return found

    @cached_property
    def _object_context(self) -> dict[str, object]:
        return bindings.object_context(_observed(self.seen) or {})

    @cached_property
    def _evaluation(self) -> dict[str, object]:
        transcript = [
            {
                "content": turn.content, "role": turn.role, "timeTakenMillis": turn.response_ms,
                "events": list(turn.events),
            }
            for turn in self.evidence.turns
        ]
        return bindings.evaluation(
            session_id=self.evidence.session_id, model=self.agent_model,
            job=self.job.model_dump(mode="json", by_alias=True), transcript=transcript,
            failure_count=self.evidence.failure_count, done=self.evidence.outcome == "signed_off",
        )


class _Found(NamedTuple):
    """What an assertion was decided to, as in a result."""

    expected: str
    actual: str | None = None
    passed: bool | None = None
    error: str | None = None


_TRUE = "true"
"""What an expression is expected to be, as JSON."""


def _of_cypher(assertion: CypherAssertion, seen: Observation | None, redactor: Redactor) -> _Found:
    found, passed, error, expected = None, None, None, assertion.expected
    if seen is not None:
        try:
            rows = _observed(seen)
            actual = single_value(rows)
            expected = _as_found(expected, actual, rows, redactor)
            found, passed = json_text(actual), equals(expected, actual)
            error = None if passed else describe_difference(expected, actual)
        except StoicError as failure:
            passed, error = False, str(failure)
    return _Found(json_text(expected), found, passed, error)


def _as_found(expected: Any, actual: Any, rows: Rows, redactor: Redactor) -> Any:
    """The expected value; if only so it equals the actual one, as it is redacted where that stands.

    What was found may be a secret only together with the name of its column, such as `password`.
    """
    if equals(expected, actual):
        return expected
    (column,) = rows[0]
    redacted = single_value(redactor.data([{column: expected}]))
    return redacted if equals(redacted, actual) else expected


def _of_expression(assertion: ExpressionAssertion, visible: _Visible) -> _Found:
    if visible.evidence.outcome == "infra_error":
        return _Found(_TRUE)
    expression = parse_expression(assertion.expression)
    names = names_in(expression)
    if "objectContext" in names and visible.seen is None:
        return _Found(_TRUE, error=None if visible.evidence.session_id else NO_SESSION)
    try:
        passed = check(expression, visible.of(names))
    except StoicError as failure:
        return _Found(_TRUE, passed=False, error=str(failure))
    return _Found(_TRUE, json_text(passed), passed)


def _observed(seen: Observation | None) -> Any:
    """The observed result, None without an observation. Raises `StoicError` with the reason if observing failed."""
    if seen is None:
        return None
    if seen.error is not None:
        raise StoicError(seen.error)
    return seen.result
