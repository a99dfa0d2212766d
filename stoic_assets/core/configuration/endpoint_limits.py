"""The limits of agents and models, a part of `stoic.yml`: how hard each may be pressed."""

import math
from collections.abc import Mapping
from typing import Any, Self

from pydantic import Field, model_validator

from stoic_assets.core.text.documents import Document, misplaced

VALUES_PER_MIB = 12_500
"""One value (a text, a number, a list or an object) for every 84 bytes."""
PATIENCE = 10
"""How many times as long a test request waits between its attempts: by default about 1, 2 and 4 s. With the attempts
before it, a server may be gone for about ten seconds, as when it is started anew or loads its model."""
LONGEST_CONNECT = 10.0
"""Seconds for a connection: time for two name servers, and for TCP to knock four times."""


class EndpointLimit(Document):
    """How hard one endpoint may be pressed."""

    in_flight: int = Field(16, ge=1, description="requests at the same time")
    attempts: int = Field(4, ge=1, description="attempts of one request before it counts as failed")
    backoff_seconds: float = Field(0.1, gt=0, description="first wait between attempts; doubles, with jitter")
    longest_wait_seconds: float = Field(30.0, gt=0, description="no single wait is longer, whatever Retry-After says")
    timeout_seconds: float = Field(60.0, gt=0, description="for one attempt")
    requests_per_minute: float | None = Field(None, gt=0, description="what the endpoint allows; null: is found out")

    @property
    def connect_seconds(self) -> float:
        """How long an attempt waits for its connection; less than for an answer, so that a silent host shows as one."""
        return min(LONGEST_CONNECT, self.timeout_seconds / 2)

    def patient(self) -> Self:
        """The limit of a test request, which decides whether the run ends."""
        return self.model_copy(update={"backoff_seconds": PATIENCE * self.backoff_seconds})


class AgentLimit(EndpointLimit):
    """How hard an agent may be pressed, and how much it may send at once."""

    largest_reply_mib: float = Field(8.0, gt=0, le=2048, description="MiB in one reply or object context, unpacked")

    @property
    def most_values(self) -> int:
        """Values, lists and objects included, in one piece of its JSON: in memory they are larger than in bytes.

        A million values in 3 MB take 1 GB.
        """
        return math.floor(self.largest_reply_mib * VALUES_PER_MIB)

    def room_for(self, values: int) -> int:
        """The smallest whole number of MiB with which so many values are accepted."""
        return math.ceil(values / VALUES_PER_MIB)


class ModelLimit(EndpointLimit):
    """How hard the models of one role may be pressed."""

    tokens_per_minute: float | None = Field(None, gt=0, description="of requests and replies together; null: no budget")
    longest_refusal_seconds: float = Field(120.0, gt=0, description="of nothing but 429 or 529: then the run ends")


class Limits(Document):
    """One limit for each role on each host, in each process."""

    agent: AgentLimit = AgentLimit()
    evaluator: ModelLimit = ModelLimit()
    judge: ModelLimit = ModelLimit(in_flight=32)

    @model_validator(mode="before")
    @classmethod
    def refuse_keys_of_other_roles(cls, data: Any) -> Any:
        """Names the roles that have a key which this one lacks: the nearest that it has would mean something else."""
        known = {role: type(field.default).known_keys() for role, field in cls.model_fields.items()}
        for role, keys in data.items() if isinstance(data, Mapping) else ():
            for key in keys if role in known and isinstance(keys, Mapping) else ():
                having = [other for other in known if key in known[other]]
                if having and role not in having:
                    raise misplaced(f"a key of {' and '.join(having)} alone; leave it out here", role, str(key))
        return data
