"""Which host names are this machine, and which addresses are one service."""

import pytest

from stoic_assets.core.service_address import is_loopback, service_at


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
            "http://localhost/a?of=b"],
)  # fmt: skip
def test_another_port_path_or_host_is_another_service(url: str) -> None:
    assert service_at(url) != service_at("http://localhost/a")
    assert service_at(f" {url} ") == service_at(url)


def test_the_name_of_this_machine_stands_for_its_usual_addresses() -> None:
    assert len({service_at(f"http://{host}:8081/") for host in ("localhost", "LOCALHOST", "127.0.0.1", "[::1]")}) == 1
