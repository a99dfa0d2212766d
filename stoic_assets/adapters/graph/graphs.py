"""The two graphs of an evaluation as configured; the embedded server serves each one that has no address."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event

from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.adapters.graph.bolt_sessions import BoltServer
from stoic_assets.adapters.graph.embedded_accounts import STOIC, SUBJECT
from stoic_assets.adapters.graph.embedded_graph import embedded_graph, embedded_graph_ahead, rejoin
from stoic_assets.adapters.graph.embedded_server import GraphServer
from stoic_assets.core.configuration.graph_address import (
    GraphAddress,
    refuse_same_graph,
    stoic_address,
    subject_address,
)


@dataclass(frozen=True)
class Graphs:
    """`subject` is what the agent writes to, `stoic` our own graph; `embedded` is None where neither needs it."""

    subject: Graph
    stoic: Graph
    subject_address: GraphAddress
    embedded: GraphServer | None


class GraphUse:
    """The graphs of one project as a process uses them."""

    def __init__(self, home: Path, env: Mapping[str, str]) -> None:
        self._home, self._env = home, env
        self._kept: ExitStack | None = None
        self._is_ahead = False

    def open(self) -> AbstractContextManager[Graphs]:
        """See `open_graphs`."""
        if self._kept:
            self.start()
        return open_graphs(self._home, self._env)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """While the block runs, an embedded server that was used keeps running: starting it takes two seconds."""
        with ExitStack() as self._kept:
            try:
                yield
            finally:
                self._kept, self._is_ahead = None, False

    def start(self) -> None:
        """Starts the embedded server, if one is needed, without waiting for it; only within a `kept` block."""
        needed = not (subject_address(self._env) and stoic_address(self._env))
        if self._kept and needed and not self._is_ahead:
            self._kept.enter_context(embedded_graph_ahead(self._home))
            self._is_ahead = True


@contextmanager
def open_graphs(home: Path, env: Mapping[str, str]) -> Iterator[Graphs]:
    """Both graphs while the block runs. They work in any event loop inside the block.

    Raises `ConfigurationError` (bad address, same graph twice, embedded server not installed) or `ServiceUnreachable`
    (embedded server did not start). Servers of the user's own are not contacted: see `Graph.ping`.
    """
    subject, stoic = subject_address(env), stoic_address(env)
    refuse_same_graph(subject, stoic, env)
    if subject and stoic:
        yield Graphs(Graph(subject), Graph(stoic), subject, None)
        return
    over = Event()
    with embedded_graph(home) as server:
        try:
            yield _with_embedded(partial(rejoin, home, over), server, subject, stoic, env)
        finally:
            over.set()


def _with_embedded(
    again: Callable[[], GraphServer], server: GraphServer, subject: GraphAddress | None, stoic: GraphAddress | None,
    env: Mapping[str, str],
) -> Graphs:
    own_subject = server.address(SUBJECT)
    if subject and subject.same_database(own_subject):
        subject = None  # the address that `stoic graph --json` prints: use the embedded graph, with its observer
    refuse_same_graph(subject or own_subject, stoic or server.address(STOIC), env)
    return Graphs(
        subject=Graph(subject) if subject else _embedded(again, server, SUBJECT),
        stoic=Graph(stoic) if stoic else _embedded(again, server, STOIC),
        subject_address=subject or own_subject,
        embedded=server,
    )


def _embedded(again: Callable[[], GraphServer], server: GraphServer, database: str) -> Graph:
    now = _bolt(server, database)
    return Graph(now.address, now.observer, find_again=lambda: _bolt(again(), database))


def _bolt(server: GraphServer, database: str) -> BoltServer:
    return BoltServer(server.address(database), server.observer() if database == SUBJECT else None)
