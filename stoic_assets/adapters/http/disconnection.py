"""Connections to HTTP services that fail; it imports aiohttp, so it is imported only where a request is made."""

from dataclasses import dataclass

import aiohttp

from stoic_assets.adapters.http.endpoint import closed_proxy, untrusted
from stoic_assets.adapters.http.foreign_text import excerpt
from stoic_assets.adapters.http.refusals import PROXY_REFUSES
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.secrets.redaction import Redactor


@dataclass(frozen=True)
class Disconnection:
    """What an `error` of aiohttp, or of a socket, means for a connection; it is quoted without `secrets`."""

    error: Exception
    secrets: Redactor

    def closed_to_all(self, service: str) -> ConfigurationError | None:
        """The error where no request gets through: the certificate is not trusted, or the proxy answers 407."""
        error = self.error
        if isinstance(error, aiohttp.ClientConnectorCertificateError):
            return untrusted(service, error.certificate_error)
        if isinstance(error, aiohttp.ClientHttpProxyError) and error.status == PROXY_REFUSES:
            return closed_proxy(service)
        return None

    @property
    def no_http(self) -> bool:
        """Whether what came instead of an answer is not HTTP."""
        error = self.error
        return isinstance(error, aiohttp.ClientResponseError) and error.message.startswith("Bad status line")

    @property
    def no_tls(self) -> bool:
        """Whether TLS was answered in plain words, as by a server of http:// that is asked by https://."""
        error = self.error
        return isinstance(error, aiohttp.ClientConnectorSSLError) and error.os_error.reason == "WRONG_VERSION_NUMBER"

    @property
    def nobody(self) -> bool:
        """Whether no connection was made: nobody accepts one there, at once or in time, or the proxy finds nobody."""
        return isinstance(
            self.error, aiohttp.ClientConnectorError | aiohttp.ClientHttpProxyError | aiohttp.ConnectionTimeoutError
        )

    @property
    def late(self) -> bool:
        """Whether no answer came in time, or not even a connection (then also `nobody`)."""
        return isinstance(self.error, TimeoutError)

    @property
    def is_slow(self) -> bool:
        """Whether a connection was made, and no answer came in time."""
        return self.late and not self.nobody

    @property
    def hung_up(self) -> bool:
        """Whether it ended without an answer, as one without TLS does at a server that wants TLS."""
        return isinstance(self.error, aiohttp.ClientConnectionError) and not self.nobody

    @property
    def words(self) -> str:
        """What happened, after the server's name: no connection was made, or it broke before or within a reply."""
        if self.no_tls:
            return "speaks no TLS (is it http://?)"
        said = excerpt(self._cause, self.secrets)
        replied = isinstance(self.error, aiohttp.ClientPayloadError | aiohttp.ClientResponseError)
        if not replied or self.nobody:
            return f"cannot be reached: {said}"
        if said.startswith("Response payload is not completed"):
            return "was reached, but its reply was cut off"
        return f"was reached, but its reply cannot be read: {said.partition('. Please install')[0]}"

    @property
    def _cause(self) -> str:
        """Why it failed: without the address of the proxy, which may hold a password."""
        error = self.error
        if isinstance(error, aiohttp.ClientHttpProxyError):
            return f"the proxy answers {error.status} {error.message}"
        if isinstance(error, aiohttp.ConnectionTimeoutError):  # its text is the whole address, too
            return "no connection was made in time"
        if isinstance(error, aiohttp.InvalidURL):  # its text is the whole address
            return "an address on the way there is not valid"
        if isinstance(error, aiohttp.ClientConnectorError) and not error.os_error.strerror:  # nor has its text
            return str(error.os_error) or type(error.os_error).__name__
        if isinstance(error, aiohttp.ClientOSError) and "request body" in str(error):  # here it follows
            return "the connection was closed while the request was sent"
        said = error.message if isinstance(error, aiohttp.ClientResponseError) else str(error)
        # What our client cannot unpack, it reports as if the service had answered 400.
        return said.removeprefix("400, message:").strip() or type(error).__name__
