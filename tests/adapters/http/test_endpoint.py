import asyncio
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from stoic_assets.adapters.http.endpoint import parse_url, proxy_for, require_listener
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable

NAMELESS = f"http://{'a' * 64}.example.org"


@pytest.mark.parametrize(
    "url",
    [
        "", "localhost:8081", "ftp://host", "http://", "http://host:99999", "http://[::1", "bolt://h", NAMELESS,
        "http://a..b",
    ],
)
def test_what_is_no_address_is_refused_with_its_setting(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^AGENT_URL: not an http or https address"):
        parse_url(url, "AGENT_URL")


def test_credentials_in_an_address_are_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_url("https://marcus:meditations@host/v1", "OPENAI_BASE_URL")
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
    with pytest.raises(ServiceUnreachable, match=r"the proxy 127\.0\.0\.1"):
        asyncio.run(require_listener("https://agent.invalid", "agent", "start it", 2.0))
    monkeypatch.setenv("HTTPS_PROXY", NAMELESS)
    with pytest.raises(ServiceUnreachable, match="the proxy aaaa"):
        asyncio.run(require_listener("https://agent.invalid", "agent", "start it", 2.0))


def test_a_proxy_of_another_kind_is_not_taken_for_one_of_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "socks5://ada:secret@127.0.0.1:1080")
    with pytest.raises(ConfigurationError, match=r"^HTTPS_PROXY: socks5 is not supported; name an http proxy$"):
        proxy_for(urlsplit("https://models.example"))
