"""Addresses of services: which are valid, which of them name the same service, and which hosts are this machine."""

from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

PORTS = {"http": 80, "https": 443}
CHAT = "/api/v1/chat"
"""The path of the Embabel protocol below an agent's address, which may end with it."""
COMPLETIONS = "/chat/completions"
"""The path of the OpenAI protocol below an agent's address, which may end with it."""
FIRST_VERSION = "/v1"
"""What an address of the OpenAI protocol may leave out before `COMPLETIONS`."""


class Service(NamedTuple):
    """What an address names, the same however the address is spelt. `rest` is the path and the query."""

    scheme: str
    host: str
    port: int | None
    rest: str


def http_parts(url: str) -> SplitResult | None:
    """The parts of an http or https address; None for anything else."""
    try:
        parts = urlsplit(url.strip())
        # A name that cannot be looked up (a part may not exceed 63 characters) raises ValueError only when encoded.
        valid = parts.scheme in PORTS and bool((parts.hostname or "").encode("idna")) and parts.port != 0
    except ValueError:
        return None
    return parts if valid else None


def service_at(url: str) -> Service:
    """The service that a valid address names.

    The protocols' paths and `/v1` before them may be left out of an address, so they do not count at its end.
    """
    parts = urlsplit(url.strip())
    path = parts.path.rstrip("/").removesuffix(CHAT).removesuffix(COMPLETIONS).removesuffix(FIRST_VERSION)
    port = parts.port or PORTS.get(parts.scheme)
    return Service(parts.scheme, _usual(parts.hostname or ""), port, f"{path.rstrip('/')}?{parts.query}")


def _usual(host: str) -> str:
    """The usual spelling of a host: a name as it is looked up, or an address.

    `localhost` stands for 127.0.0.1, ::1, 0.0.0.0 and ::; other loopback addresses may have services of their own.
    """
    name = host.encode("idna").decode().removesuffix(".")
    address = _ip_address(name)
    if address and (address.is_unspecified or str(address) in ("127.0.0.1", "::1")):
        return "localhost"
    return str(address or name)


def protocol_doubt(url: str, protocol: str) -> str | None:
    """A note about an agent's address that looks like one of another protocol; None if it does not."""
    if protocol == "embabel" and urlsplit(url.strip()).path.rstrip("/").endswith((FIRST_VERSION, COMPLETIONS)):
        return f"{url} looks like an address of chat completions; if it is one, set `target.protocol: openai`"
    return None


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
    if address := _ip_address(host):
        return address.is_loopback or address.is_unspecified
    return host == "localhost" or host.endswith(".localhost")


def _ip_address(host: str) -> IPv4Address | IPv6Address | None:
    """The address that a host is, one of IPv4 within IPv6 as itself; None for a name."""
    try:
        address = ip_address(host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
