"""Which configured values are blanked; how that reaches a workplace's redactor is in `test_workplace`."""

import pytest

from stoic_assets.adapters.process.configured_secrets import secrets_in


def test_a_malformed_address_is_no_reason_to_stop_here() -> None:
    assert set(secrets_in({"NEO_URI": "bolt://[::1", "NEO_PASSWORD": "tr0ub4dor"})) == {"", "tr0ub4dor"}


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
