"""One embedded graph server for each STOIC_HOME, shared by any number of processes.

Under `$STOIC_HOME/graph`: `gate.lock` is held while a process looks up, starts or stops the server, so that only one
does; every user holds `lease.lock` shared, so that a process that can take it exclusively is the last user and stops
the server; `server.json` says where the server is, and which folder it serves: in a copy of a home the record belongs
to the original and is ignored. A server whose folder was moved is replaced: it would make new files at the old path. No
server begins before it is recorded. The operating system frees both locks when their process ends, in any way. A server
whose last user was killed runs on until the next user leaves, or `stop_embedded_graph`. Locks need a local file system,
not NFS.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from threading import Event, Thread

from filelock import ReadWriteLock, Timeout

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.disk.files import StorageError, remedy, write_whole
from stoic_assets.adapters.graph import embedded_server
from stoic_assets.adapters.graph.embedded_server import GraphServer
from stoic_assets.core.errors import ServiceUnreachable, StoicError

_GATE_SECONDS = 180.0
_ANSWER_SECONDS = 10.0
_QUESTIONS = 2
"""A process that was stopped while it asked, as by Ctrl-Z, heard no answer: it asks again before it ends the server."""


def embedded_graph(home: Path) -> AbstractContextManager[GraphServer]:
    """The server of this home while the block runs: the running one, or a new one. The last user stops it.

    Raises `ConfigurationError` (not installed), `ServiceUnreachable` (did not start) or `StorageError`.
    """
    return _leased(home, partial(_running, over=Event()))


@contextmanager
def embedded_graph_ahead(home: Path) -> Iterator[None]:
    """Starts the server without waiting for it, and keeps it until the block ends. Raises `ConfigurationError`.

    A thread waits for it instead: the server's first answer takes 0.4 s, which the first user would have to wait.
    """
    with _leased(home, _started):
        over = Event()
        awaiting = Thread(target=_awaited, args=[home, over])
        awaiting.start()
        try:
            yield
        finally:
            over.set()
            awaiting.join()


@contextmanager
def _leased(home: Path, find: Callable[[Path], GraphServer]) -> Iterator[GraphServer]:
    folder = _folder(home)
    lease = _lease(folder)
    with ExitStack() as leaving:
        with _gate(folder):
            lease.acquire_read()
            leaving.callback(_leave, folder, lease)
            server = find(folder)
        yield server


def _awaited(home: Path, over: Event) -> None:
    with suppress(StoicError):  # the first real use tries again, and reports the error
        rejoin(home, over)


def rejoin(home: Path, over: Event) -> GraphServer:
    """The server of this home, started again if it has died; for callers inside an `embedded_graph` block.

    The caller sets `over` before the block ends; a call in another thread then raises `ServiceUnreachable` at once.
    Leaving the block needs the gate, which it would hold for 80 s where a server hangs and no other comes up.
    """
    folder = _folder(home)
    with _gate(folder):
        embedded_server.require_use(over)  # a server that is started now would outlive its last user
        return _running(folder, over)


def stop_embedded_graph(home: Path) -> bool:
    """Stops the server of this home, even if it is in use; returns whether one was running."""
    folder = _folder(home)
    if not folder.exists():
        return False
    with _gate(folder):
        return _stop(folder)


def is_stopped(home: Path) -> bool:
    """Whether the server of this home was stopped and not started again; waits while either is being done."""
    folder = _folder(home)
    with _gate(folder):
        return not (folder / "server.json").exists()


def is_served(home: Path) -> bool:
    """Whether the server of this home is running; does not wait for one that is being started or stopped."""
    known = _recorded(_folder(home))
    return known is not None and embedded_server.is_running(known)


def _folder(home: Path) -> Path:
    return home.resolve() / "graph"


def _lease(folder: Path) -> ReadWriteLock:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return ReadWriteLock(folder / "lease.lock", is_singleton=False)
    except OSError as error:
        raise StorageError(f"{folder} cannot be written: {error.strerror}; {remedy(error)}") from None


def _gate(folder: Path) -> AbstractContextManager[None]:
    file = folder / "gate.lock"
    return locked(file, ServiceUnreachable(f"another process uses {file}; wait for it, or end it"), _GATE_SECONDS)


def _running(folder: Path, over: Event) -> GraphServer:
    server = _started(folder)
    if server.uri and not any(embedded_server.answers(server, _ANSWER_SECONDS, over) for _ in range(_QUESTIONS)):
        embedded_server.require_use(over)
        _stop(folder)  # it hangs
        server = _started(folder)
    if not server.uri:
        server = embedded_server.await_ready(server, folder, over)
        _record(folder, server)
    return server


def _started(folder: Path) -> GraphServer:
    """A running server; it has no URI yet, since it may not listen yet."""
    known = _recorded(folder)
    if known and embedded_server.is_running(known):
        if _leads_to(known.path, folder):
            return known
        _stop(folder)
    return embedded_server.spawn(folder, partial(_record, folder))


def _leave(folder: Path, lease: ReadWriteLock) -> None:
    with _gate(folder):
        lease.release(force=True)
        with suppress(Timeout), lease.write_lock(blocking=False):  # nobody else uses the server
            _stop(folder)


def _stop(folder: Path) -> bool:
    known = _recorded(folder)
    if known is None:
        return False
    alive = embedded_server.is_running(known)
    embedded_server.stop(known, folder)
    (folder / "server.json").unlink()
    return alive


def _recorded(folder: Path) -> GraphServer | None:
    try:
        record = json.loads((folder / "server.json").read_text(encoding="utf-8"))
        return GraphServer(**record) if record.pop("folder") == _identity(folder) else None
    except (FileNotFoundError, ValueError, TypeError, KeyError, AttributeError):  # none, or written by another version
        return None


def _record(folder: Path, server: GraphServer) -> None:
    record = asdict(server) | {"folder": _identity(folder)}
    write_whole(folder / "server.json", json.dumps(record), mode=0o600)


def _leads_to(path: str, folder: Path) -> bool:
    with suppress(OSError):
        return _identity(Path(path)) == _identity(folder)
    return False


def _identity(folder: Path) -> list[int]:
    """What a folder keeps when it is renamed, mounted elsewhere or reached by a link, but a copy does not share."""
    status = folder.stat()
    return [status.st_dev, status.st_ino]
