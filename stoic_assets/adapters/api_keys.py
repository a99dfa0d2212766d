"""API keys of services from the environment, and what a header can carry."""

from collections.abc import Mapping

from stoic_assets.core.errors import ConfigurationError


def api_key(env: Mapping[str, str], name: str) -> str | None:
    """The key in the variable `name`; None without one.

    Raises `ConfigurationError`, which does not show the key, for one that cannot be sent.
    """
    key = env.get(name, "").strip()
    if not fits_header(key):
        raise ConfigurationError(f"{name}: contains a line break or a character that is not ASCII; copy the key again")
    return key or None


def fits_header(value: str) -> bool:
    """Whether every HTTP client and server accepts `value` as a header's: printable ASCII."""
    return value.isascii() and value.isprintable()
