"""Which server plays the user and which one judges, and the variables that configure them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from stoic_assets.adapters.http.api_keys import CUSTOM_HEADERS, api_key, custom_headers, require_header, sent_value

OPENAI = "https://api.openai.com/v1"
_OF_THE_ACCOUNT = {"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"}
VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "STOIC_JUDGE_API_KEY", "STOIC_JUDGE_BASE_URL")


@dataclass(frozen=True)
class ModelServer:
    """A model server: its address as configured, its key if it needs one, and the variables that set both.

    `headers` are sent beside the key. Two that differ only in these variables are the same server.
    """

    url: str = ""
    key: str | None = field(default=None, repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    url_variable: str = field(default="OPENAI_BASE_URL", compare=False)
    key_variable: str = field(default="OPENAI_API_KEY", compare=False)

    @property
    def address(self) -> str:
        """Where it listens: OpenAI's address unless another `url` is configured."""
        return self.url or OPENAI

    @property
    def base(self) -> str:
        """The address without its query, which is sent with every call separately."""
        return urlsplit(self.address)._replace(query="", fragment="").geturl().rstrip("/")

    def __str__(self) -> str:
        return f"the model server at {self.base}"


def evaluator_server(env: Mapping[str, str]) -> ModelServer:
    """The server of the simulated user's model. Raises `ConfigurationError` for a key or header that cannot be sent."""
    key = api_key(env, "OPENAI_API_KEY")
    account = {header: sent_value(env, name) for name, header in _OF_THE_ACCOUNT.items()}
    headers = {**{header: value for header, value in account.items() if value}, **custom_headers(env)}
    for header, value in headers.items():
        require_header(header, value, f"{CUSTOM_HEADERS}: {header}")
    return ModelServer(env.get("OPENAI_BASE_URL", "").strip(), key, tuple(headers.items()))


def judge_server(env: Mapping[str, str]) -> ModelServer:
    """The server of the judges' models: the simulated user's, unless it has an address or a key of its own.

    A server with an address of its own never gets the other's key, nor its headers; one with a key of its own gets no
    headers of the other's account. Raises `ConfigurationError` as `evaluator_server`.
    """
    url, key = env.get("STOIC_JUDGE_BASE_URL", "").strip(), api_key(env, "STOIC_JUDGE_API_KEY")
    if url:
        return ModelServer(url, key, url_variable="STOIC_JUDGE_BASE_URL", key_variable="STOIC_JUDGE_API_KEY")
    shared = evaluator_server(env)
    return replace(shared, key=key, headers=(), key_variable="STOIC_JUDGE_API_KEY") if key else shared
