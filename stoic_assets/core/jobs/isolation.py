"""Which Cypher of an isolated job is about the data of all trials, although these run side by side.

One trial then deletes what another has just made, or counts what another made. The job is isolated all the same, by
rule, so this is only a doubt.
"""

from collections.abc import Iterator

from stoic_assets.core.assertions.cypher_script import alters_what_it_finds, looks_for, parameters_used, statements
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import CypherAssertion, CypherSetup
from stoic_assets.core.presentation.formatting import listed

_OWN_USERS = "use $user there"
_SHARED_USER = "use $session or $trial there, or put {trial} in `target.user` and use $user there"


def isolation_doubt(job: Job) -> str | None:
    """What to do about an isolated job whose Cypher does not tell its trials apart; None where there is no doubt."""
    own = job.has_own_users()
    telling = {"session", "trial", "user"} if own else {"session", "trial"}
    shared = [*_setups(job, telling), *_assertions(job, telling)] if job.is_isolated() else []
    if not shared:
        return None
    advice = _OWN_USERS if own else _SHARED_USER
    return f"its trials run side by side, but nothing in {listed(shared)} tells them apart; {advice}"


def _setups(job: Job, telling: set[str]) -> Iterator[str]:
    """The places of those with a statement that alters what may be another trial's.

    One that only makes data is no such: each trial may make what all share.
    """
    for number, setup in enumerate(job.setups):
        parts = statements(setup.cypher) if isinstance(setup, CypherSetup) else []
        if any(alters_what_it_finds(part) and not parameters_used(part) & telling for part in parts):
            yield f"setups[{number}]"


def _assertions(job: Job, telling: set[str]) -> Iterator[str]:
    """The places of those that look for what may be another trial's."""
    for number, each in enumerate(job.assertions):
        if isinstance(each, CypherAssertion) and looks_for(each.cypher):
            filled_by_us = parameters_used(each.cypher) - each.parameters.keys()
            if not filled_by_us & telling:
                yield f"assertions[{number}].cypher"
