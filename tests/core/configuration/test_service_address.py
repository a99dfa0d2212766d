"""Which host names are this machine, and which addresses are one service."""

import pytest

from stoic_assets.core.configuration.service_address import is_loopback, protocol_doubt, service_at


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "agent.localhost", "127.0.0.1", "127.8.0.1", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1",
        "::ffff:0.0.0.0",
    ],
)
def test_names_and_addresses_of_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    ["", "localhost.example.org", "notlocalhost", "10.0.0.1", "127.example.org", "128.0.0.1", "::2", "::ffff:10.0.0.1"],
)
def test_other_machines(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    "url", ["http://localhost:81/a", "http://localhost:80/b", "https://localhost/a", "http://127.0.0.2/a", "http://b/a",
            "http://localhost/a?of=b", "http://localhost/a/v2", "http://localhost/v1/a", "http://[::2]/a"],
)  # fmt: skip
def test_another_port_path_or_host_is_another_service(url: str) -> None:
    assert service_at(url) != service_at("http://localhost/a")
    assert service_at(f" {url} ") == service_at(url)


@pytest.mark.parametrize(
    "host",
    [
        "LOCALHOST", "localhost.", "127.0.0.1", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]",
    ],
)  # fmt: skip
def test_the_name_of_this_machine_stands_for_its_usual_addresses(host: str) -> None:
    assert service_at(f"http://{host}:8081/") == service_at("http://localhost:8081")


@pytest.mark.parametrize(
    ("host", "same"),
    [
        ("Bücher.example", "xn--bcher-kva.example"), ("agents。example.", "agents.example"),
        ("[2001:db8:0::]", "[2001:DB8::]"),
    ],
)  # fmt: skip
def test_a_host_is_the_same_in_every_script_and_form(host: str, same: str) -> None:
    assert service_at(f"http://{host}") == service_at(f"http://{same}")


@pytest.mark.parametrize("base", ["http://agents", "http://agents/marcus"])
@pytest.mark.parametrize("path", ["/", "/v1", "/v1/", "/v1/chat/completions", "/api/v1/chat", "/api/v1/chat/"])
def test_the_paths_of_the_protocols_may_be_left_out(base: str, path: str) -> None:
    assert service_at(base + path) == service_at(base)
    assert service_at(f"{base}{path}?of=b") == service_at(f"{base}?of=b") != service_at(base)


@pytest.mark.parametrize("place", ["http://agents/v2", "http://agents/v1beta/openai"])
def test_another_version_of_a_protocol_is_another_service(place: str) -> None:
    assert service_at(f"{place}/chat/completions") == service_at(place) != service_at("http://agents")


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/chat/completions", "/api/v1?of=b"])
def test_an_address_of_the_other_protocol_is_doubted(path: str) -> None:
    assert "set `target.protocol: openai`" in (protocol_doubt(f"http://agents{path}", "embabel") or "")
    assert protocol_doubt(f"http://agents{path}", "openai") is None


@pytest.mark.parametrize("path", ["", "/", "/v1/agent", "/api/v1/chat", "/agentv1"])
def test_an_address_that_fits_the_protocol_is_not_doubted(path: str) -> None:
    assert protocol_doubt(f"http://v1{path}", "embabel") is None
