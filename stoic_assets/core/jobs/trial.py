"""One trial of an evaluation: what it plays, under which condition, and its name."""

from dataclasses import dataclass
from typing import Literal

Condition = Literal["withheld", "supplied"]
"""Whether the simulated user may give the job's facts when asked."""


@dataclass(frozen=True)
class Trial:
    """One planned conversation: job × condition × repeat, or one scenario of a job. `attempt` counts from 1."""

    trial_id: str
    job: str
    condition: Condition
    repeat: int
    user: str
    scenario: str | None = None
    attempt: int = 1

    @property
    def played_as(self) -> str:
        """The name of this attempt outside: remains of an earlier attempt must not be taken for those of this one."""
        return self.trial_id if self.attempt == 1 else f"{self.trial_id}-{self.attempt}"
