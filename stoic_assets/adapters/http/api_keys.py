"""API keys of services from the environment, and what a header can carry."""

import re
from collections.abc import Mapping

from stoic_assets.core.errors import ConfigurationError

CUSTOM_HEADERS = "OPENAI_CUSTOM_HEADERS"


def api_key(env: Mapping[str, str], name: str) -> str | None:
    """The key in the variable `name`; None without one. Raises as `sent_value`."""
    return sent_value(env, name) or None


def sent_value(env: Mapping[str, str], name: str) -> str:
    """The value of the variable `name`, which a header is to carry; empty without one.

    Raises `ConfigurationError`, which does not show the value, for one that cannot be sent.
    """
    value = env.get(name, "").strip()
    if not _fits_header(value):
        raise ConfigurationError(f"{name}: contains a line break or a character that is not ASCII; copy it again")
    return value


def custom_headers(env: Mapping[str, str]) -> dict[str, str]:
    """The headers in `OPENAI_CUSTOM_HEADERS`, one `Name: value` a line, as the openai package reads them."""
    pairs = (line.partition(":") for line in env.get(CUSTOM_HEADERS, "").splitlines())
    return {name.strip(): value.strip() for name, colon, value in pairs if colon}


def require_header(name: str, value: str, source: str) -> None:
    """Raises `ConfigurationError`, which names the `source`, unless every HTTP client and server takes the header."""
    if not _fits_header(value) or not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", name, re.ASCII):
        raise ConfigurationError(f"{source}: not a valid HTTP header")


def _fits_header(value: str) -> bool:
    """Whether every HTTP client and server accepts `value` as a header's: printable ASCII."""
    return value.isascii() and value.isprintable()
