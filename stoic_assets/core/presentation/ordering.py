"""The order in which people look for names."""

import re

_NUMBER = re.compile("[0-9]+")


def natural(name: str) -> str:
    """A key for the natural order of names, in which `s2` comes before `s10`."""
    return _NUMBER.sub(lambda number: number[0].zfill(20), name)
