"""Which host names are this machine."""

import pytest

from stoic_assets.core.service_address import is_loopback


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
