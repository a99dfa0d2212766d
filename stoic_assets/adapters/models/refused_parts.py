"""Which part of a request an error refuses: one that can be left out, or one that the user's settings add."""

import re
from collections.abc import Iterable

from stoic_assets.adapters.http.error_words import ForeignError, read_error
from stoic_assets.adapters.http.refusals import INVALID
from stoic_assets.core.errors import AttemptFailed

OPTIONS = ("response_format", "temperature")
"""Parts of a request that some servers or models refuse; the request makes sense without them."""
_FORMS = ("response_format", "json_schema", "json_object")
SYSTEM_MESSAGE = "a system message"
"""Another such part. Our roles alternate, so a complaint that they do not is about this one."""
_NO_SYSTEM_MESSAGE = re.compile(
    r"system role|roles must alternate|only user(?:,| and) assistant|developer instruction is not|"
    r"n[o']t support (?:'system'|system messages?)",
    re.IGNORECASE,
)
_REFUSES = (
    r"unsupported|n[o']t support|only|deprecated|invalid|unrecogni[sz]ed|unknown|unexpected|does(?: not|n't)|cannot|"
    r"(?:not|n't) (?:accept|allow|permit)|fixed|(?:must|should) be|extra inputs"
)
_SAME_SENTENCE = r"(?:[^.?!]|\.(?=\S)){0,100}?"
_NO_TEMPERATURE = re.compile(
    rf"\btemperature\b{_SAME_SENTENCE}(?:{_REFUSES})|(?:{_REFUSES}){_SAME_SENTENCE}\btemperature\b", re.IGNORECASE
)
"""Only beside such a word: an error may quote a message, which may be about the weather."""


class OptionRefused(AttemptFailed):
    """The server refuses a part of the request; it may accept the rest."""

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(problem, final=True)
        self.option = option


class FieldRefused(AttemptFailed):
    """The server may refuse a field that the user's settings add; whether it does, a request without content shows."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem, final=True)


def refused_field(error: Exception, fields: Iterable[str]) -> str | None:
    """Which of the `fields` that the user's settings add to requests an error names; it may be about something else."""
    from openai import APIStatusError

    if not isinstance(error, APIStatusError) or error.status_code not in INVALID:
        return None
    found = read_error(error.status_code, error.response.headers, error.response.content)
    param = found.param.rpartition(".")[2]  # of a place such as body.temperature
    named = {param} if param in OPTIONS else {param, *re.findall(r"\w+", found.words)}
    return next((field for field in fields if field in named), None)


def refused_option(error: ForeignError) -> str | None:
    """Which part of a request that can be left out an error refuses; None for any other."""
    if error.status not in INVALID and not _is_misplaced(error):
        return None
    if _NO_SYSTEM_MESSAGE.search(error.words):
        return SYSTEM_MESSAGE
    if any(form in f"{error.param} {error.words}" for form in _FORMS):
        return "response_format"
    no_temperature = "temperature" in error.param or _NO_TEMPERATURE.search(error.words)
    return "temperature" if no_temperature else None


def _is_misplaced(error: ForeignError) -> bool:
    """Whether a 500 is about the request after all: servers built on llama.cpp answer unknown options with it."""
    complains = "validation error" in error.words.lower() or _NO_SYSTEM_MESSAGE.search(error.words) is not None
    return error.status == 500 and complains
