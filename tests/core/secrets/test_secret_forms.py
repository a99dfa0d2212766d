"""What looks like a secret without any setting, and what does not."""

import pytest

from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.secrets.redaction import BLANK, Redactor

DEFAULT = Redactor(Settings().secret_patterns)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("key sk-abcdefghijklmnop1234 there", f"key {BLANK} there"),
        ("API_KEY_sk-abcdefghijklmnop1234", f"API_KEY_{BLANK}"),
        (r"it is:\nsk-abcdefghijklmnop1234", rf"it is:\n{BLANK}"),
        ("?key%3Dsk-abcdefghijklmnop1234", f"?key%3D{BLANK}"),
        ("\x1b[32msk-abcdefghijklmnop1234", f"\x1b[32m{BLANK}"),
        ("Authorization: Bearer abcdefghijklmnop.qrst==", f"Authorization: {BLANK}"),
        ("bolt://neo4j:s3cret@graph:7687/x", f"bolt://{BLANK}@graph:7687/x"),
        ("redis://:s3cret@queue:6379/0", f"redis://{BLANK}@queue:6379/0"),
        ("password=hunter22, and on", f"{BLANK}, and on"),
        ("NEO_PASSWORD: hunter22", f"NEO_{BLANK}"),
        ('{"password": "hunter22"}', f'{{"{BLANK}"}}'),
        ("Passphrase = 'correct horse'", f"{BLANK} horse'"),
        ("password: 'correcthorse'", f"{BLANK}'"),
        ("your new password : Xy-zaaa7.", f"your new {BLANK}"),
    ],
)
def test_default_patterns_blank_secrets(text: str, shown: str) -> None:
    assert DEFAULT.text(text) == shown
    assert DEFAULT.text(shown) == shown, "once is enough"


@pytest.mark.parametrize(
    "text",
    [
        "I forgot my password yesterday", "a password should be long", "the risk-averse sk-ills", "bearer of bad news",
        "see https://example.org/a:b@c", "http://[::1]:80/@you", "at 9:30 write to me@example.org", "password: ***",
        "created task-550e8400-e29b-41d4-a716-446655440000", "a risk-assessment-template", "fläsk-och-potatis-recept",
        "To reset your password: open Settings, then Security.", "Password: at least eight letters",
    ],
)
def test_default_patterns_leave_ordinary_talk_alone(text: str) -> None:
    assert DEFAULT.text(text) == text


def test_a_long_secret_is_blanked_to_its_end() -> None:
    assert DEFAULT.text(f"password: {'x' * 64}7{'y' * 1000} and on") == f"{BLANK} and on"
