"""Keys of services as the environment gives them, and what a header can carry."""

from collections.abc import Mapping

from stoic_assets.core.errors import ConfigurationError


def api_key(env: Mapping[str, str], name: str) -> str | None:
    """The key in the variable `name`; None without one.

    Raises `ConfigurationError`, which does not show it, for a key that cannot be sent.
    """
    key = env.get(name, "").strip()
    if not fits_header(key):
        raise ConfigurationError(f"{name}: contains a line break or a character that is not ASCII; copy the key again")
    return key or None


def fits_header(value: str) -> bool:
    """Whether every HTTP client and server takes `value` for that of a header: printable ASCII."""
    return value.isascii() and value.isprintable()
