"""Addresses of HTTP services: which are valid, how to reach them (proxy or not), whether anything listens there."""

import asyncio
import contextlib
import os
import ssl
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable
from stoic_assets.core.loopback import is_loopback

if TYPE_CHECKING:
    from aiohttp import ClientConnectorCertificateError

PORTS = {"http": 80, "https": 443}
NOBODY_BEHIND = (502, 503, 521, 522, 523, 529, 530)
"""Statuses of a gateway that reaches no service behind it, Cloudflare's included, or only an overloaded one."""
TIMED_OUT = (408, 504, 524)
"""Statuses of a service, or a gateway before it, that took too long."""


def parse_url(url: str, setting: str) -> SplitResult:
    """The parts of a service's address; `setting` tells the user where it comes from.

    Raises `ConfigurationError` for anything that is not plain http(s), including an address with credentials, because
    addresses are shown and stored; also for https where SSL_CERT_FILE cannot be read.
    """
    try:
        parts = urlsplit(url.strip())
        # A name that cannot be looked up (a part may not exceed 63 characters) raises ValueError only when encoded.
        valid = parts.scheme in PORTS and bool((parts.hostname or "").encode("idna")) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise ConfigurationError(f"{setting}: not an http or https address such as http://localhost:8081")
    if parts.username or parts.password:
        raise ConfigurationError(
            f"{setting}: the address must not contain credentials; use the variable for the key, or a header"
        )
    if parts.scheme == "https" and (certificates := os.environ.get("SSL_CERT_FILE")):
        _require_certificates(certificates)
    return parts


def below(parts: SplitResult, path: str) -> str:
    """The address with `path` appended to its own path; a query of the address stays at the end."""
    return parts._replace(path=parts.path.rstrip("/") + path, fragment="").geturl()


@cache
def _require_certificates(file: str) -> None:
    """Raises as `parse_url` does. Clients would fail on it, or trust no server and not say why."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
    except OSError as error:
        advice = "name a file of PEM certificates, or none"
        raise ConfigurationError(f"SSL_CERT_FILE={file}: {error.strerror}; {advice}") from None


def untrusted(service: str, error: "ClientConnectorCertificateError") -> ConfigurationError:
    """The error for a service whose certificate is not trusted."""
    why, advice = error.certificate_error, "set SSL_CERT_FILE to a file of PEM certificates that contains its issuer's"
    return ConfigurationError(f"{service} shows a certificate that is not trusted: {why}; if it is right, {advice}")


def proxy_for(parts: SplitResult) -> str | None:
    """The proxy that the environment names for this address; never one for loopback."""
    host = parts.hostname or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    proxy = getproxies().get(parts.scheme)
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


async def require_listener(url: str, setting: str, advice: str, seconds: float) -> None:
    """Opens and closes a TCP connection to the service, or to the proxy that leads there.

    Raises `ServiceUnreachable` with `advice` when no connection is accepted within `seconds`.
    """
    parts = parse_url(url, setting)
    proxy = proxy_for(parts)
    way = urlsplit(proxy) if proxy else parts
    host, port = way.hostname or "", way.port or PORTS.get(way.scheme, 80)
    try:
        async with asyncio.timeout(seconds):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, UnicodeError):  # the latter for a proxy whose name cannot be looked up
        place = f"the proxy {host}:{port}" if proxy else f"{host}:{port}"
        raise ServiceUnreachable(f"{setting}: nothing answers at {place}; {advice}") from None
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
