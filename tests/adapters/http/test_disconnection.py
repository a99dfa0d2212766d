import aiohttp

from stoic_assets.adapters.http.disconnection import Disconnection
from stoic_assets.core.secrets.redaction import Redactor


def test_an_address_that_the_client_refuses_is_not_repeated() -> None:
    refused = aiohttp.InvalidURL("http://ada:secret@127.0.0.1:99999")
    assert "secret" not in Disconnection(refused, Redactor(())).words
