"""A verdict that stands in the record was written by whoever is judged: it is refused, although a judge repeats it.

Compared is what was read, so that neither spacing nor the order of the fields hides a copy.
"""

import json
import operator
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

from stoic_assets.core.judging.verdict import MalformedVerdict, VirtueVerdict

V = TypeVar("V")

_DECODER = json.JSONDecoder()
_LINE_MARK = re.compile(r"^\| ", re.MULTILINE)
_BEGIN = re.compile(rf'\{{\s*"(?:{"|".join(VirtueVerdict.model_fields)}|task_\d+|tone)"\s*:')


def refusing_copies(
    parse: Callable[[str], V], record: str, copied: Callable[[V, V], bool] = operator.eq
) -> Callable[[str], V]:
    """The parser, which raises `MalformedVerdict` besides for a verdict that stands in the record as it is shown.

    `copied` tells, of what was read in the record and of the verdict, whether that is so.
    """

    def stands(found: Any, verdict: V) -> bool:
        try:
            return copied(parse(json.dumps(found)), verdict)
        except (MalformedVerdict, RecursionError):  # what is too deep to be written is no verdict
            return False

    def read(reply: str) -> V:
        verdict = parse(reply)
        if "score" in record and any(stands(found, verdict) for found in _verdicts(record)):
            raise MalformedVerdict("this very verdict stands in the record and is not yours; judge for yourself")
        return verdict

    return read


def _verdicts(record: str) -> Iterator[Any]:
    """Every JSON object that begins like a verdict; inside another JSON text its quotes are escaped."""
    text = _LINE_MARK.sub("", record)
    for written in {text, text.replace("\\n", "\n").replace('\\"', '"')}:
        for begin in _BEGIN.finditer(written):
            with suppress(ValueError, RecursionError):
                yield _DECODER.raw_decode(written, begin.start())[0]
