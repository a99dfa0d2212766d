"""What the author of a job can hardly have meant: slips are refused before the conversations, doubts are warnings.

These are not rules of `Job`: what is stored must stay readable and correctable whenever a slip is added here.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from stoic_assets.core.assertions.cypher_aggregates import OVERLOOKED, overlooks_aggregate
from stoic_assets.core.assertions.cypher_script import (
    alters_what_it_finds,
    looks_for,
    parameters_used,
    query_problem,
    statements,
)
from stoic_assets.core.assertions.kotlin.kinds import never_true
from stoic_assets.core.assertions.kotlin.members import unknown_member
from stoic_assets.core.assertions.kotlin.source import nearest
from stoic_assets.core.assertions.kotlin.syntax import parse_expression
from stoic_assets.core.configuration.service_address import address_problem
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import (
    PARAMETERS,
    CypherAssertion,
    CypherSetup,
    ExpressionAssertion,
    TextSeed,
    seed_messages,
)
from stoic_assets.core.presentation.formatting import listed, plural
from stoic_assets.core.text.documents import dotted
from stoic_assets.core.text.yaml_text import KeyPath


def slips(job: Job) -> Iterator[tuple[KeyPath, str]]:
    """Definite mistakes in a resolved job: the place in its file, and what is wrong there."""
    yield from ((place, "is blank; give it a text") for place, text in _texts(job) if not text.strip())
    if re.search("[{}]", job.target.user.replace("{trial}", "")):
        yield ("target", "user"), "only {trial} may be in braces; did you mean that?"
    if job.target.url and (wrong := address_problem(job.target.url)):
        yield ("target", "url"), wrong
    for number, seed in enumerate(job.seeds):
        if not seed_messages(seed):
            yield ("seeds", number, "conversation"), "only messages of the user are sent, and this seed has none"
    for place, cypher, known in _cypher(job):
        if unknown := parameters_used(cypher) - set(known):
            yield place, f"unknown parameters: {_dollars(sorted(unknown))}; known here are {_dollars(known)}"
    for number, assertion in enumerate(job.assertions):
        yield from ((("assertions", number, key), problem) for key, problem in never_holds(assertion))


def doubts(jobs: Iterable[Job], subject_is_embedded: bool) -> list[str]:
    """What may be intended, but is unfair to the agent or too kind: a sentence each, with the job's name."""
    return [f"job {job.name}: {doubt}" for job in jobs for doubt in _doubts(job, subject_is_embedded)]


def _doubts(job: Job, subject_is_embedded: bool) -> Iterator[str]:
    tasks, room = len(job.tasks), job.room()
    if room < tasks:
        yield (
            f"`maxTurns: {job.max_turns}` lets the user speak {plural(room, 'time')} after the greeting, too few for "
            f"{plural(tasks, 'task')}; tasks not reached score 0; `maxTurns: {2 * tasks + 3}` is enough for all"
        )
    if blank := [str(number) for number, task in enumerate(job.tasks, 1) if not task.acceptance_criteria.strip()]:
        yield f"`acceptanceCriteria` of task {', '.join(blank)} is blank, but the judge scores by nothing else"
    overlooked = [dotted(place) for place, cypher, _ in _cypher(job) if overlooks_aggregate(cypher)]
    if subject_is_embedded and overlooked:
        yield f"{', '.join(overlooked)}: {OVERLOOKED}"
    if doubt := isolation_doubt(job):
        yield doubt


def never_holds(assertion: CypherAssertion | ExpressionAssertion) -> Iterator[tuple[str, str]]:
    """The key of an assertion that fails in every trial, or in every one in which the agent acts, and why."""
    if isinstance(assertion, ExpressionAssertion):
        expression = parse_expression(assertion.expression)
        if found := never_true(expression):
            told = {"null": "null", "Object": "an Object"}.get(found, f"a {found}")
            yield "expression", f"what must be true or false here is always {told}; compare it with something"
        if unknown := unknown_member(expression):
            name, known = unknown
            yield "expression", f"nothing there ever has a member `{name}`; {nearest(name, known)}"
        return
    if assertion.cypher.strip() and (problem := query_problem(assertion.cypher)):
        yield "cypher", problem
    for number in _whole_numbers(assertion.parameters):
        if not -(2**63) <= number < 2**63:
            yield "parameters", f"{number} is beyond the 64 bits of a graph's whole numbers; write it as text"


def _whole_numbers(value: Any) -> Iterator[int]:
    """Those in a parameter, at any depth."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _whole_numbers(part)


def _texts(job: Job) -> Iterator[tuple[KeyPath, str]]:
    """Every text that is sent to the agent, the simulated user or the graph, with its place."""
    yield ("evaluator", "signoff"), job.evaluator.signoff
    yield ("target", "user"), job.target.user
    yield ("target", "chatbot"), job.target.chatbot
    yield from ((("greetings", number), text) for number, text in enumerate(job.greetings))
    yield from ((("facts", number), text) for number, text in enumerate(job.facts))
    yield from ((("tasks", number, "task"), task.task) for number, task in enumerate(job.tasks))
    yield from ((("scenarios", number, "input"), each.input) for number, each in enumerate(job.scenarios))
    yield from ((place, cypher) for place, cypher, _ in _cypher(job))
    for number, seed in enumerate(job.seeds):
        if isinstance(seed, TextSeed):
            yield ("seeds", number, "text"), seed.text
            continue
        for message_number, message in enumerate(seed.conversation):
            if message.role == "user":
                yield ("seeds", number, "conversation", message_number, "content"), message.content


def _cypher(job: Job) -> Iterator[tuple[KeyPath, str, tuple[str, ...]]]:
    """Every Cypher text with its place and the parameters that it may use. That of a setup may come from a file."""
    for number, setup in enumerate(job.setups):
        if isinstance(setup, CypherSetup):
            yield ("setups", number), setup.cypher, PARAMETERS
    for number, assertion in enumerate(job.assertions):
        if isinstance(assertion, CypherAssertion):
            yield ("assertions", number, "cypher"), assertion.cypher, (*PARAMETERS, *assertion.parameters)


def _dollars(names: Iterable[str]) -> str:
    return ", ".join(f"${name}" for name in names)


_OWN_USERS = "use $user there"
_SHARED_USER = "use $session or $trial there, or put {trial} in `target.user` and use $user there"


def isolation_doubt(job: Job) -> str | None:
    """What to do about an isolated job whose Cypher does not tell its trials apart; None where there is no doubt.

    They run side by side, and one trial deletes what another has just made, or counts it. By rule the job is isolated
    all the same.
    """
    own = job.has_own_users()
    telling = {"session", "trial", "user"} if own else {"session", "trial"}
    shared = [*_shared_setups(job, telling), *_shared_assertions(job, telling)] if job.is_isolated() else []
    if not shared:
        return None
    advice = _OWN_USERS if own else _SHARED_USER
    return f"its trials run side by side, but nothing in {listed(shared)} tells them apart; {advice}"


def _shared_setups(job: Job, telling: set[str]) -> Iterator[str]:
    """The places of those with a statement that alters what may be another trial's.

    One that only makes data is no such: each trial may make what all share.
    """
    for number, setup in enumerate(job.setups):
        parts = statements(setup.cypher) if isinstance(setup, CypherSetup) else []
        if any(alters_what_it_finds(part) and not parameters_used(part) & telling for part in parts):
            yield f"setups[{number}]"


def _shared_assertions(job: Job, telling: set[str]) -> Iterator[str]:
    """The places of those that look for what may be another trial's."""
    for number, each in enumerate(job.assertions):
        if isinstance(each, CypherAssertion) and looks_for(each.cypher):
            filled_by_us = parameters_used(each.cypher) - each.parameters.keys()
            if not filled_by_us & telling:
                yield f"assertions[{number}].cypher"
