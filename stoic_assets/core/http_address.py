"""Addresses of HTTP services: which are valid."""

from typing import Annotated
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator

PORTS = {"http": 80, "https": 443}


def http_parts(url: str) -> SplitResult | None:
    """The parts of an http or https address; None for anything else."""
    try:
        parts = urlsplit(url.strip())
        # A name that cannot be looked up (a part may not exceed 63 characters) raises ValueError only when encoded.
        valid = parts.scheme in PORTS and bool((parts.hostname or "").encode("idna")) and parts.port != 0
    except ValueError:
        return None
    return parts if valid else None


def checked_parts(url: str) -> SplitResult:
    """The parts of a service's address.

    Raises `ValueError` for anything that is not plain http or https, including an address with credentials, because
    addresses are shown and stored.
    """
    parts = http_parts(url)
    if not parts:
        raise ValueError("not an http or https address such as http://localhost:8081")
    if parts.username or parts.password:
        raise ValueError("the address must not contain credentials; use the variable for the key, or a header")
    return parts


def _checked(url: str) -> str:
    checked_parts(url)
    return url


HttpAddress = Annotated[str, AfterValidator(_checked)]
"""The address of a service in a document."""
