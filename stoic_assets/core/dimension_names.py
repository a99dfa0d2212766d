"""The names of dimensions of feedback: which of them mean the same one."""

from collections.abc import Mapping
from typing import TypeVar

Virtues = TypeVar("Virtues", bound=Mapping[str, str])


def key(dimension: str) -> str:
    """A dimension's name in the form in which names are compared: "Practical Use" is `practical_use`."""
    return "_".join(dimension.casefold().replace("-", " ").replace("_", " ").split())


def of_one_virtue_each(virtues: Virtues) -> Virtues:
    """The map of dimensions to virtues itself. Raises `ValueError` if two names of one dimension differ in virtue."""
    known: dict[str, str] = {}
    for name, virtue in virtues.items():
        former = known.setdefault(key(name), name)
        if virtues[former] != virtue:
            raise ValueError(f"{former!r} and {name!r} are the same dimension, so both must have the same virtue")
    return virtues
