"""Which configured values are secrets, in the environment and in the headers of a target."""

import re
from base64 import b64decode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from urllib.parse import parse_qsl, unquote, urlsplit

from stoic_assets.adapters.http.api_keys import custom_headers
from stoic_assets.adapters.http.message_signature import PREFIX
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.secrets.redaction import Redactor

_SECRETS = ("OPENAI_API_KEY", "STOIC_JUDGE_API_KEY", "AGENT_API_KEY", "NEO_PASSWORD", "STOIC_GRAPH_PASSWORD")
_SIGNING_KEYS = ("EVOLUTION_SECRET", "STOIC_WEBHOOK_SECRET")
"""Each holds several keys while one replaces another."""
_SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|AUTHORIZATION|COOKIE)$")
_SECRET_FIELD = re.compile(rf"{_SECRET_NAME.pattern}|^(?:CODE|SIG)$")
"""Of a query: Azure sends the key of a function as `code`, and a signature as `sig`."""
_SURELY_SECRET = 8
"""The least letters of a secret whose variable or header only sounds like one: a shorter value may be any word, as may
the password in an address that is not our own (`postgres`)."""
_ADDRESSES = ("NEO_URI", "STOIC_GRAPH_URI")
_ADDRESS_NAME = re.compile(r"_(?:UR[IL]|PROXY)$", re.IGNORECASE)


def secrets_in(env: Mapping[str, str]) -> list[str]:
    """Every configured key and password, including those inside addresses and those for `target.headers`."""
    secrets = [env.get(name, "").strip() for name in _SECRETS]
    secrets += _named(env)
    secrets += secrets_of_headers(custom_headers(env))
    secrets += [key.removeprefix(PREFIX) for name in _SIGNING_KEYS for key in env.get(name, "").split()]
    for name in filter(_ADDRESS_NAME.search, env):
        secrets += secrets_in_query(env[name])
        with suppress(ValueError):  # a malformed address is reported where it is used
            password = unquote(urlsplit(env[name]).password or "")
            if name in _ADDRESSES or (len(password) >= _SURELY_SECRET and not password.isalpha()):
                secrets.append(password)
    return secrets


def secrets_in_query(url: str) -> list[str]:
    """The values in the query of an address whose names say that they are secret."""
    query = url.partition("?")[2].partition("#")[0]
    return _named({name.upper(): value for name, value in parse_qsl(query)}, _SECRET_FIELD)


def refuse_secret(agent_url: str | None, secrets: Redactor) -> None:
    """Raises `ConfigurationError` for an address that contains a secret: Dagster stores a run's configuration."""
    if agent_url and (secrets_in_query(agent_url) or secrets.text(agent_url) != agent_url):
        raise ConfigurationError("--agent-url contains a secret; set the address as AGENT_URL")


def secrets_of_headers(headers: Mapping[str, str]) -> list[str]:
    """The values of headers whose names say that they are secret, and the secrets within them."""
    values = _named({name.upper(): value for name, value in headers.items()})
    return [each for value in values for each in (value, *_within(value))]


def configured_redactor(settings: Settings, env: Mapping[str, str]) -> Redactor:
    """Blanks the patterns of `stoic.yml` and every configured key and password."""
    return Redactor(settings.secret_patterns, secrets_in(env))


def _named(values: Mapping[str, str], names: re.Pattern[str] = _SECRET_NAME) -> list[str]:
    """The values of those variables, headers or fields whose name, in capitals, says that they are secret."""
    return _surely(value.strip() for name, value in values.items() if names.search(name))


def _within(header: str) -> list[str]:
    """The secrets that a header's secret value consists of: what follows a scheme, a password in it, each cookie."""
    sent = header.split()[-1]
    return _surely([sent, _password_in(sent), *(cookie.partition("=")[2].strip() for cookie in header.split(";"))])


def _password_in(sent: str) -> str:
    """The password in the credentials of a `Basic` header; empty where there is none."""
    try:
        return b64decode(sent, validate=True).decode().partition(":")[2]
    except ValueError:  # not base64, or not text
        return ""


def _surely(values: Iterable[str]) -> list[str]:
    return [value for value in values if len(value) >= _SURELY_SECRET]
