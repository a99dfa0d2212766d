"""Addresses of services: which are valid, and which hosts are this machine."""

import ipaddress
from urllib.parse import SplitResult, urlsplit

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


def service_at(url: str) -> tuple[str, str, int | None, str]:
    """The service that an address names: scheme, host, port and the rest, the same however the address is spelt.

    `localhost` stands for itself, 127.0.0.1 and ::1; other loopback addresses may have services of their own.
    """
    parts = urlsplit(url.strip())
    host = parts.hostname or ""
    rest = f"{parts.path.rstrip('/')}?{parts.query}"
    local = host in ("127.0.0.1", "::1")
    return parts.scheme, "localhost" if local else host, parts.port or PORTS.get(parts.scheme), rest


def address_problem(url: str) -> str | None:
    """What is wrong with a service's address; None if nothing is. Credentials are: addresses are shown and stored."""
    parts = http_parts(url)
    if not parts:
        return "not an http or https address such as http://localhost:8081"
    if parts.username or parts.password:
        return "the address must not contain credentials; use the variable for the key, or a header"
    return None


def is_loopback(host: str) -> bool:
    """Whether `host` (a name in lower case or an address, without brackets and port) is this machine.

    `localhost` and its subdomains always are (RFC 6761 §6.3); so are 0.0.0.0 and ::, which connect locally.
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    mapped = getattr(address, "ipv4_mapped", None) or address
    return mapped.is_loopback or mapped.is_unspecified
