"""API keys of services from the environment, and what a header can carry."""

from collections.abc import Mapping
from typing import Any

from stoic_assets.adapters.http.foreign_text import TooManyValues, parse_json
from stoic_assets.core.errors import ConfigurationError


def api_key(env: Mapping[str, str], name: str) -> str | None:
    """The key in the variable `name`; None without one.

    Raises `ConfigurationError`, which does not show the key, for one that cannot be sent.
    """
    key = env.get(name, "").strip()
    if not fits_header(key):
        raise ConfigurationError(f"{name}: contains a line break or a character that is not ASCII; copy the key again")
    return key or None


def refuses_key(status: int, kind: Any) -> bool:
    """Whether an HTTP answer refuses the key, by its status or by the `kind` of its error.

    A LiteLLM without a database looks there for every key but its master key, and answers 400.
    """
    return status == 401 or (status == 400 and kind == "no_db_connection")


def kind_of_error(answer: bytes) -> Any:
    """`error.type` in an answer, as OpenAI's API has it. It is foreign JSON: anything, and None where there is none."""
    try:
        return parse_json(answer)["error"]["type"]
    except (ValueError, TooManyValues, LookupError, TypeError):
        return None


def fits_header(value: str) -> bool:
    """Whether every HTTP client and server accepts `value` as a header's: printable ASCII."""
    return value.isascii() and value.isprintable()
