"""Failures of answers that hold no reply of the agent: another service's, and those with a status."""

import re

from stoic_assets.adapters.http.error_words import ForeignError
from stoic_assets.adapters.http.refusals import TIMED_OUT, TURNED_AWAY, is_final
from stoic_assets.core.conversation.agent import AgentFailure

LOST = (404, 405)
"""What an address without such a service answers; a service may also mean a session or graph that it does not know."""


class NoAgentThere(AgentFailure):
    """Another service listens at the address; with a corrected one nothing is continued, as the message says."""

    says_how_to_go_on = True


class UnexpectedStatus(AgentFailure):
    """The service answered with an `error`, whose status is outside 2xx."""

    def __init__(self, problem: str, error: ForeignError, lost: bool) -> None:
        late, turned_away = error.status in TIMED_OUT, error.status in TURNED_AWAY or lost
        wait, final = error.retry_after, is_final(error.status)
        super().__init__(problem, retry_after=wait, late=late, final=final, turned_away=turned_away)
        self.error, self.says_how_to_go_on = error, lost


def words_of(said: str, status: int) -> str:
    """What an answer `said`, to follow its status, which many servers repeat as their first word; else empty."""
    words = re.sub(rf"^{status}\b[\s:]*", "", said)
    return f": {words}" if words else ""
