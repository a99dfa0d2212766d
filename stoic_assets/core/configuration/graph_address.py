"""The addresses of the two graphs, read from the environment, and what may be done there.

Connecting is in `adapters/graph/bolt.py`, the embedded default in `adapters/graph/embedded_graph.py`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit

from stoic_assets.core.configuration.service_address import is_loopback
from stoic_assets.core.errors import ConfigurationError

SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
DEFAULT_PORT = 7687
DEFAULT_USERNAME = "neo4j"


@dataclass(frozen=True)
class GraphAddress:
    """One database of one Bolt server.

    `username` and `password` are None where the server requires none; `database` None is the user's home database.
    `variables` is the prefix of the environment variables it came from, for messages ("" for the embedded graph).
    """

    uri: str
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    database: str | None = None
    variables: str = field(default="", compare=False)

    @property
    def host(self) -> str:
        """Host name in lower case; `localhost` for every spelling of this machine."""
        name = (urlsplit(self.uri).hostname or "").rstrip(".")
        return "localhost" if is_loopback(name) else name

    @property
    def port(self) -> int:
        """Port; Bolt's default where the URI names none."""
        return urlsplit(self.uri).port or DEFAULT_PORT

    def same_database(self, other: "GraphAddress") -> bool:
        """Whether both may be the same database of the same server; an address without a database may be any."""
        mine, theirs = (self.database or "").lower(), (other.database or "").lower()
        return (self.host, self.port) == (other.host, other.port) and (mine == theirs or not mine or not theirs)


def subject_address(env: Mapping[str, str]) -> GraphAddress | None:
    """The subject graph as NEO_* sets it; None means the embedded graph.

    Raises ConfigurationError where the URI cannot be one of a Bolt server.
    """
    return _address(env, "NEO")


def stoic_address(env: Mapping[str, str]) -> GraphAddress | None:
    """The stoic graph as STOIC_GRAPH_* sets it; None means the embedded graph.

    Raises ConfigurationError where the URI cannot be one of a Bolt server.
    """
    return _address(env, "STOIC_GRAPH")


def shared(env: Mapping[str, str]) -> bool:
    """Whether both graphs may be one database."""
    return env.get("STOIC_GRAPH_SHARED", "").strip() == "1"


def refuse_same_graph(subject: GraphAddress | None, stoic: GraphAddress | None, env: Mapping[str, str]) -> None:
    """Raises `ConfigurationError` when a setup that empties the subject graph might empty the stoic graph as well.

    STOIC_GRAPH_SHARED=1 allows one database for both.
    """
    if subject is None or stoic is None or shared(env):
        return
    if subject.same_database(stoic):
        raise ConfigurationError(
            f"subject graph and stoic graph are the same database ({stoic.uri}), or one of them is not named: set "
            "NEO_DATABASE and STOIC_GRAPH_DATABASE to two of that server, STOIC_GRAPH_URI to another server, or "
            "STOIC_GRAPH_SHARED=1 if setups never delete foreign data"
        )


def setups_allowed(address: GraphAddress, env: Mapping[str, str]) -> bool:
    """Whether setups may write there: on loopback, or where STOIC_ALLOW_SETUPS names the host."""
    named = re.split(r"[,\s]+", env.get("STOIC_ALLOW_SETUPS", "").strip().lower())
    return address.host == "localhost" or address.host in [name.strip("[]").rstrip(".") for name in named]


def refuse_setups(address: GraphAddress, env: Mapping[str, str]) -> None:
    """Raises `ConfigurationError` when setups must not write to this graph."""
    if not setups_allowed(address, env):
        raise ConfigurationError(
            f"setups would write to the graph on {address.host}, which is not this machine: "
            f"set STOIC_ALLOW_SETUPS={address.host} if its data may be changed, or remove the setups"
        )


def _address(env: Mapping[str, str], prefix: str) -> GraphAddress | None:
    uri = env.get(f"{prefix}_URI", "").strip()
    if not uri:
        return None
    parts = _checked(uri, f"{prefix}_URI")
    username = env.get(f"{prefix}_USERNAME") or unquote(parts.username or "") or None
    password = env.get(f"{prefix}_PASSWORD") or unquote(parts.password or "") or None
    return GraphAddress(
        uri=parts._replace(netloc=parts.netloc.rpartition("@")[2], path="").geturl(),
        username=username or (DEFAULT_USERNAME if password else None),
        password=password,
        database=env.get(f"{prefix}_DATABASE", "").strip() or None,
        variables=prefix,
    )


def _checked(uri: str, variable: str) -> SplitResult:
    example = f"write it like {variable}=bolt://localhost:{DEFAULT_PORT}"
    try:
        parts = urlsplit(uri)
        host, _ = parts.hostname, parts.port
    except ValueError:  # its text may quote a piece of the password
        raise ConfigurationError(f"{variable} has no valid host and port: {example}") from None
    if parts.scheme not in SCHEMES:
        raise ConfigurationError(f"{variable} must begin with one of {', '.join(SCHEMES)}: {example}")
    if not host:
        raise ConfigurationError(f"{variable} names no host: {example}")
    if parts.path.strip("/") or parts.fragment or (parts.query and not parts.scheme.startswith("neo4j")):
        database = variable.replace("URI", "DATABASE")
        raise ConfigurationError(f"{variable} must end after host and port; {database} names the database: {example}")
    return parts
