"""Values that a user sets for a step in the launchpad. They are checked within the step: a fault is then one line, and
the step is not tried again. Dagster would try it again for a fault in a `dg.Config`, and show pydantic's own text."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from stoic_assets.core.configuration.settings import MOST_SAMPLES
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.text.documents import first_fault

M = TypeVar("M", bound=BaseModel)


class Bounds(BaseModel):
    """The bounds of what is set for one run alone."""

    at_once: int | None = Field(None, ge=1)
    samples: int | None = Field(None, ge=1, le=MOST_SAMPLES)
    max_cost: float | None = Field(None, ge=0)
    grace_minutes: float | None = Field(None, ge=0, le=1e9)


def checked(model: type[M], values: Mapping[str, Any]) -> M:
    """`values` as a model. Raises `ConfigurationError`, naming the first wrong key."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = first_fault(error)
        raise ConfigurationError(f"{first['loc'][0]}: {first['msg']}") from None
