"""Signatures by which a receiver knows that a message is ours, as Standard Webhooks describes them.

https://github.com/standard-webhooks/standard-webhooks: a receiver verifies them with any library of that standard.
"""

import base64
import hashlib
import hmac
from collections.abc import Sequence
from datetime import UTC, datetime

from stoic_assets.core.errors import ConfigurationError

PREFIX = "whsec_"
FEWEST = 24
"""Bytes of a key that the standard asks for."""


def signing_keys(secrets: str, setting: str) -> list[bytes]:
    """The keys in the value of a setting: several, separated by spaces, while a key is being replaced.

    Raises `ConfigurationError`, which does not show the value.
    """
    try:
        keys = [base64.b64decode(each.removeprefix(PREFIX), validate=True) for each in secrets.split()]
    except ValueError:
        keys = [b""]
    if any(len(key) < FEWEST for key in keys):
        raise ConfigurationError(
            f"{setting}: each key must be at least {FEWEST} bytes in base64; make one with: openssl rand -base64 32"
        )
    return keys


def signed(keys: Sequence[bytes], message_id: str, content: bytes) -> dict[str, str]:
    """The headers of a message, with a signature by each key; none without a key."""
    if not keys:
        return {}
    sent_at = str(int(datetime.now(UTC).timestamp()))
    text = f"{message_id}.{sent_at}.".encode() + content
    made = [base64.b64encode(hmac.digest(key, text, hashlib.sha256)).decode() for key in keys]
    signature = " ".join(f"v1,{each}" for each in made)
    return {"Webhook-Id": message_id, "Webhook-Timestamp": sent_at, "Webhook-Signature": signature}
