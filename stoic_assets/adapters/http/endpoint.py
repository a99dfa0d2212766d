"""Addresses of HTTP services: which are valid, how to reach them (proxy or not), whether anything listens there."""

import asyncio
import contextlib
import os
import ssl
from functools import cache
from urllib.parse import SplitResult, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from stoic_assets.core.configuration.service_address import PORTS, address_problem, http_parts, is_loopback
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable

OTHER_NAME = (62, 64)
"""OpenSSL's codes for a certificate of another host name or IP address."""
OTHER_TIME = (9, 10)
"""OpenSSL's codes for a certificate that is not valid yet, or no longer."""


def parse_url(url: str, setting: str) -> SplitResult:
    """The parts of a service's address; `setting` tells the user where it comes from.

    Raises `ConfigurationError` for what `address_problem` finds, and for https where SSL_CERT_FILE cannot be read.
    """
    if problem := address_problem(url):
        raise ConfigurationError(f"{setting}: {problem}")
    parts = urlsplit(url.strip())
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


def untrusted(service: str, why: Exception) -> ConfigurationError:
    """The error for a service whose certificate is not trusted, with the reason that TLS gives."""
    code = getattr(why, "verify_code", None)
    if code in OTHER_NAME:
        advice = "let its address have a name that the certificate has"
    elif code in OTHER_TIME:
        advice = "renew it, or set the clock of this machine right"
    elif file := os.environ.get("SSL_CERT_FILE"):
        advice = f"if it is right, add its issuer's to those in SSL_CERT_FILE={file}"
    else:
        advice = "if it is right, set SSL_CERT_FILE to a file of PEM certificates that contains its issuer's"
    return ConfigurationError(f"{service} shows a certificate that is not trusted: {why}; {advice}")


def closed_proxy(service: str) -> ConfigurationError:
    """The error for a proxy that asks for credentials, or for other ones (407)."""
    advice = "check the user name and password in HTTPS_PROXY or HTTP_PROXY"
    return ConfigurationError(f"the proxy before {service} refuses requests (407); {advice}")


def led_to(url: str, location: str) -> str:
    """Where a redirect from `url` leads, without what may be secret (credentials, query); empty if that is no address.

    An answer such as 304 or 300 has no `location`.
    """
    try:
        parts = http_parts(urljoin(url, location)) if location else None
    except ValueError:
        return ""
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl() if parts else ""


def proxy_for(parts: SplitResult) -> str | None:
    """The proxy that the environment names for this address; never one for loopback.

    Raises `ConfigurationError`, without the address, which may hold a password, for what is not one of an HTTP proxy:
    our client takes one of another kind (SOCKS) for one of HTTP, and part of a password with # or / for a port.
    """
    host = parts.hostname or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    proxy = getproxies().get(parts.scheme, "").strip()
    if not proxy:
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    found = http_parts(proxy)
    if not found or found.path not in ("", "/") or found.query or found.fragment:
        raise ConfigurationError(
            f"{parts.scheme.upper()}_PROXY: not the address of an http proxy such as http://proxy.example:3128 "
            "(SOCKS is not supported; in a password, write # as %23, / as %2F, ? as %3F)"
        )
    return proxy


async def require_listener(url: str, setting: str, advice: str, seconds: float) -> None:
    """Opens and closes a TCP connection to the service, or to the proxy that leads there.

    Raises `ServiceUnreachable` when no connection is accepted within `seconds`, with the `advice` about the service, or
    about the proxy.
    """
    parts = parse_url(url, setting)
    proxy = proxy_for(parts)
    way = urlsplit(proxy) if proxy else parts
    host, port = way.hostname or "", way.port or PORTS.get(way.scheme, 80)
    try:
        async with asyncio.timeout(seconds):
            _, writer = await asyncio.open_connection(host, port)
    except OSError:
        place = f"{host}:{port}"
        if proxy:
            place, advice = f"the proxy {place}", f"check {parts.scheme.upper()}_PROXY and NO_PROXY"
        raise ServiceUnreachable(f"{setting}: nothing answers at {place}; {advice}") from None
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
