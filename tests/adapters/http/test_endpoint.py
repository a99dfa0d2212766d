import asyncio
import socket
import ssl
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from stoic_assets.adapters.http.endpoint import led_to, parse_url, proxy_for, require_listener, untrusted
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable

NAMELESS = f"http://{'a' * 64}.example.org"


@pytest.mark.parametrize(
    "url",
    [
        "", "localhost:8081", "ftp://host", "http://", "http://host:99999", "http://[::1", "bolt://h", NAMELESS,
        "http://a..b", "http://host:0",
    ],
)
def test_what_is_no_address_is_refused_with_its_setting(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^AGENT_URL: not an http or https address"):
        parse_url(url, "AGENT_URL")


@pytest.mark.parametrize("credentials", ["marcus:meditations", ":meditations", "meditations"])
def test_credentials_in_an_address_are_refused_and_not_repeated(credentials: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_url(f"https://{credentials}@host/v1", "OPENAI_BASE_URL")
    assert "credentials" in str(caught.value)
    assert "meditations" not in str(caught.value)


@pytest.mark.parametrize(("text", "said"), [(None, "No such file"), ("not a certificate", "no certificate")])
def test_certificates_that_cannot_be_read_are_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, said: str
) -> None:
    file = tmp_path / "issuers.pem"
    if text:
        file.write_text(text)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with pytest.raises(ConfigurationError) as caught:
        parse_url("https://agent.example.org", "AGENT_URL")
    assert str(caught.value).startswith(f"SSL_CERT_FILE={file}: ")
    assert said.lower() in str(caught.value).lower()
    parse_url("http://agent.example.org", "AGENT_URL")


@pytest.mark.parametrize(
    ("name", "trusts", "advice"),
    [
        ("127.0.0.1", "none", "set SSL_CERT_FILE to a file"),
        ("127.0.0.1", "others", "add its issuer's to those in SSL_CERT_FILE=others.pem"),
        ("agents.example", "it", "let its address have a name that the certificate has"),
        ("127.0.0.2", "it", "let its address have a name that the certificate has"),
    ],
)  # fmt: skip
def test_a_certificate_that_is_not_trusted_names_what_would_help(
    certified: tuple[str, Path], monkeypatch: pytest.MonkeyPatch, name: str, trusts: str, advice: str
) -> None:
    url, certificate = certified
    context = ssl.create_default_context(cafile=certificate if trusts == "it" else None)
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    if trusts == "others":
        monkeypatch.setenv("SSL_CERT_FILE", "others.pem")
    with pytest.raises(ssl.SSLCertVerificationError) as caught:
        asyncio.run(asyncio.open_connection("127.0.0.1", urlsplit(url).port, ssl=context, server_hostname=name))
    assert advice in str(untrusted("the agent", caught.value))


@pytest.mark.parametrize("code", [9, 10], ids=["not valid yet", "expired"])
def test_a_certificate_out_of_its_time_is_not_put_down_to_its_issuer(code: int) -> None:
    error = ssl.SSLCertVerificationError("certificate has expired")
    error.verify_code = code
    assert str(untrusted("the agent", error)).endswith("; renew it, or set the clock of this machine right")


def test_the_proxy_of_the_environment_holds_except_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "proxy.example.org:3128")
    monkeypatch.setenv("NO_PROXY", "internal.example.org")
    assert proxy_for(parse_url("https://agent.example.org", "x")) == "http://proxy.example.org:3128"
    assert proxy_for(parse_url("http://agent.example.org", "x")) is None
    assert proxy_for(parse_url("https://internal.example.org", "x")) is None
    assert proxy_for(parse_url("https://localhost:8081", "x")) is None


def test_a_listener_is_found_and_a_missing_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        asyncio.run(require_listener(f"http://127.0.0.1:{port}/v1", "agent", "start it", 2.0))
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        asyncio.run(require_listener("https://agent.invalid", "agent", "start it", 2.0))
    with pytest.raises(ServiceUnreachable) as caught:
        asyncio.run(require_listener(f"http://127.0.0.1:{port}", "agent", "start it", 2.0))
    assert str(caught.value) == f"agent: nothing answers at 127.0.0.1:{port}; start it"
    with pytest.raises(ServiceUnreachable) as caught:
        asyncio.run(require_listener("https://agent.invalid", "agent", "start it", 2.0))
    gone = f"agent: nothing answers at the proxy 127.0.0.1:{port}; check HTTPS_PROXY and NO_PROXY"
    assert str(caught.value) == gone


@pytest.mark.parametrize(
    "proxy",
    [
        "socks5://ada:secret@127.0.0.1:1080", "ada:secret://127.0.0.1", "http:/ada:secret@127.0.0.1:9",
        "http://ada:secret@127.0.0.1:99999", "http://ada:secret@127.0.0.1:abc", "http://ada:secret@:3128",
        "http://ada:#secret@127.0.0.1:9", "http://ada:secret/@127.0.0.1:9", "http://ada:1/secret@127.0.0.1:9",
        "http://ada:1?secret@127.0.0.1:9", "http://[::1", NAMELESS,
    ],
)  # fmt: skip
def test_what_is_no_address_of_an_http_proxy_is_refused_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(ConfigurationError, match=r"^HTTPS_PROXY: not the address of an http proxy") as caught:
        asyncio.run(require_listener("https://agent.invalid", "agent", "start it", 2.0))
    assert not any(part in str(caught.value) for part in ("ada", "secret", "127.0.0.1"))


@pytest.mark.parametrize("proxy", ["http://ada:s%23cret@proxy.example:3128/", "https://proxy.example", "http://[::1]:9"])
def test_a_proxy_may_have_credentials_and_another_scheme(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    assert proxy_for(urlsplit("http://models.example")) == proxy


@pytest.mark.parametrize(
    ("location", "place"),
    [
        ("", ""), ("http://[", ""), ("https://ada:secret@login.example/x?code=1", "https://login.example/x"),
        ("https://ada:se#cret@login.example", ""), ("../x", "https://agent.example/x"),
    ],
)  # fmt: skip
def test_a_redirect_leads_to_an_address_without_secrets_or_to_none(location: str, place: str) -> None:
    assert led_to("https://agent.example/v1/chat", location) == place
