"""Which configured values are blanked; how that reaches a workplace's redactor is in `test_workplace`."""

import pytest

from stoic_assets.adapters.process.configured_secrets import secrets_in, secrets_of_headers


def test_a_malformed_address_is_no_reason_to_stop_here() -> None:
    assert set(secrets_in({"NEO_URI": "bolt://[::1", "NEO_PASSWORD": "tr0ub4dor"})) == {"", "tr0ub4dor"}


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "STOIC_JUDGE_API_KEY", "AGENT_API_KEY", "NEO_PASSWORD", "STOIC_GRAPH_PASSWORD"]
)
def test_our_own_keys_and_passwords_are_secret_however_short(name: str) -> None:
    assert "abc" in secrets_in({name: " abc "})


@pytest.mark.parametrize("kind", ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSPHRASE", "AUTHORIZATION", "COOKIE"])
def test_a_variable_whose_name_sounds_like_a_secret_has_one_if_it_is_long_enough(kind: str) -> None:
    found = secrets_in({f"THEIR_{kind}": " tr0ub4dor", f"OTHER_{kind}": "abc", f"{kind}_FILE": "/run/secrets"})
    assert set(filter(None, found)) == {"tr0ub4dor"}


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy", "all_proxy", "DATABASE_URL", "BROKER_URI"])
def test_the_password_in_an_address_is_secret(name: str) -> None:
    assert "tr0ub/dor" in secrets_in({name: "http://me:tr0ub%2Fdor@proxy.example:3128"})


@pytest.mark.parametrize("name", ["AGENT_URL", "OPENAI_BASE_URL", "STOIC_WEBHOOK_URL"])
@pytest.mark.parametrize("field", ["code", "sig", "key", "subscription-key", "access_token"])
def test_a_value_in_the_query_of_an_address_is_secret_if_its_name_sounds_like_one(name: str, field: str) -> None:
    query = f"api-version=2024-10-21&region=us-east-1&{field}=f00bar%2Fbaz%3D%3D&zipcode=12345678&token=short"
    found = secrets_in({name: f"https://a.example/[stoa?{query}#key=fragment"})
    assert list(filter(None, found)) == ["f00bar/baz=="]


def test_each_of_several_signing_keys_is_secret_with_and_without_its_prefix() -> None:
    found = secrets_in({"EVOLUTION_SECRET": "whsec_b2xkIGtleQ== bmV3IGtleQ==", "STOIC_WEBHOOK_SECRET": "aG9va3M="})
    assert {"b2xkIGtleQ==", "bmV3IGtleQ==", "aG9va3M="} <= set(found)


@pytest.mark.parametrize(("password", "known"), [("password", False), ("pass-word", True), ("p4ss", False)])
def test_the_password_in_an_address_that_is_not_ours_may_be_a_word(password: str, known: bool) -> None:
    assert (password in secrets_in({"DATABASE_URL": f"postgresql://me:{password}@localhost/app"})) is known
    assert password in secrets_in({"NEO_URI": f"bolt://me:{password}@localhost"})


def test_the_secrets_within_custom_headers_are_known_too():
    found = secrets_in({"OPENAI_CUSTOM_HEADERS": "Authorization: Bearer gate-key-1\nX-Team: stoa\ncookie: a=c0ffee-12"})
    assert {"Bearer gate-key-1", "gate-key-1", "a=c0ffee-12", "c0ffee-12"} <= set(found)
    assert "stoa" not in found


def test_what_follows_the_scheme_of_a_secret_header_may_be_a_word():
    assert secrets_of_headers({"Authorization": "Bearer agents"}) == ["Bearer agents"]
    assert secrets_of_headers({"Authorization": "Bearer agents-7"}) == ["Bearer agents-7", "agents-7"]
