"""The embedded graph server as a process: starts ArcadeDB over its data folder and checks whether it answers.

`embedded_graph.py` decides when to start, share and stop it. The Python package of ArcadeDB is never imported, since
that would start a Java machine inside our process: only its jars and its Java runtime are used.
"""

import importlib.util
import os
import re
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from stoic_assets.adapters.graph.embedded_accounts import OBSERVER, ROOT, STOIC, SUBJECT, Passwords, prepare_accounts
from stoic_assets.adapters.graph.embedded_archive import ClassArchive
from stoic_assets.adapters.process.lean_imports import import_lean_neo4j
from stoic_assets.adapters.process.process_identity import end_process, processes_with, start_time
from stoic_assets.core.configuration.graph_address import GraphAddress
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable

START_SECONDS = 60.0
COMMAND_SECONDS = 60
"""The longest that the server lets a command take; it ignores time-outs that a driver sends."""

_LOOK_SECONDS = 5.0
_PACKAGE = "arcadedb_embedded"
_UNUSED_JARS = re.compile(r"-(mcp|graphql|redisw|postgresw|console)-")
_BOLT_PORT = re.compile(r"Listening for incoming BOLT connections on \S*?:(\d+) ")
_ALL_CLOSED = "ArcadeDB Server is down"
_JAVA_OPTIONS = (
    "-Xmx384m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-XX:+ExitOnOutOfMemoryError",  # a query that runs out of memory would keep its slot for ever
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
)
_SETTINGS = {
    "server.plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
    "server.defaultDatabases": f"{SUBJECT}[{ROOT}];{STOIC}[{ROOT}]",
    "bolt.host": "127.0.0.1",
    "bolt.port": 0,
    "bolt.defaultDatabase": SUBJECT,  # for a client that names none; else the first there is, which may be ours
    "server.httpIncomingHost": "127.0.0.1",
    "server.httpIncomingPort": 0,  # HTTP cannot be switched off
    "command.timeout": COMMAND_SECONDS * 1000,
    "queryMaxConcurrent": 64,  # the default of 4 makes the fifth unread result wait for 30 s
    "opencypher.loadCsv.allowFileUrls": "false",
    "opencypher.loadCsv.allowRemoteUrls": "false",
}


@dataclass(frozen=True)
class GraphServer:
    """A server process; `uri` is empty until it listens. `started` distinguishes it from a later process of its id.

    `path` is that of its data folder when it was started: it makes new files there, even after the folder was moved.
    """

    pid: int
    started: str
    uri: str
    username: str
    password: str = field(repr=False)
    observer_username: str
    observer_password: str = field(repr=False)
    path: str

    def address(self, database: str) -> GraphAddress:
        """One of its databases, `subject` or `stoic`, with full rights."""
        return GraphAddress(self.uri, self.username, self.password, database)

    def observer(self) -> GraphAddress:
        """The subject database with the right to read only."""
        return GraphAddress(self.uri, self.observer_username, self.observer_password, SUBJECT)


def spawn(folder: Path, record: Callable[[GraphServer], None]) -> GraphServer:
    """Starts the server process over `folder` without waiting for it, once `record` has stored which process it is.

    If we are killed, no server is left that nobody knows and that keeps every other one from the data. Raises
    `ConfigurationError` where the package is not installed, and as `record` does.
    """
    command = _command(folder)
    passwords = prepare_accounts(folder)
    log = folder / "server.log"
    if log.exists():
        log.replace(folder / "server.log.old")
    held, release = os.pipe()
    with os.fdopen(held), os.fdopen(release, "w") as go:
        server = _described(_start_detached(command, log, folder, held), passwords, log)
        record(server)
        go.write("go\n")
    return server


def await_ready(server: GraphServer, folder: Path, over: Event) -> GraphServer:
    """Waits until both databases answer, which is later than the port opens, and returns the server with its URI.

    Raises `ServiceUnreachable`, with the end of the log, when it exits or is not ready in START_SECONDS; the process is
    then gone. Raises it also once nobody needs the server any more (`over`); the process is then left as it is.
    """
    log, left = folder / "server.log", START_SECONDS
    while is_running(server) and left > 0:
        began, port = time.monotonic(), _BOLT_PORT.search(_text(log))
        listening = replace(server, uri=f"bolt://127.0.0.1:{port[1]}") if port else None
        if listening and answers(listening, _LOOK_SECONDS, over):
            return listening
        time.sleep(0.05)
        require_use(over)
        left -= min(time.monotonic() - began, _LOOK_SECONDS)  # what took longer: this process was stopped meanwhile
    end_process(server.pid, server.started)  # a failed bind leaves the process alive
    raise ServiceUnreachable(_no_start(log))


def is_running(server: GraphServer) -> bool:
    """Whether this very process is alive."""
    return start_time(server.pid) == server.started


def answers(server: GraphServer, seconds: float, over: Event) -> bool:
    """Whether both databases answer root, and the subject database the observer, within `seconds` and before `over`."""
    verdict: list[bool] = []
    # A frozen server keeps a connection open silently, and the driver has no time-out for that: leave the thread.
    thread = threading.Thread(target=lambda: verdict.append(_answers(server)), daemon=True)
    thread.start()
    deadline = time.monotonic() + seconds
    while thread.is_alive() and time.monotonic() < deadline and not over.is_set():
        thread.join(0.05)
    return verdict == [True]


def require_use(over: Event) -> None:
    """Raises `ServiceUnreachable` once nobody needs the server any more."""
    if over.is_set():
        raise ServiceUnreachable("the embedded graph is not needed any more")


def stop(server: GraphServer, folder: Path) -> None:
    """Ends the server over `folder`; returns when it has gone."""
    archive = _archive()

    def is_done() -> bool:
        # After that line in the log Java idles for 0.3 s: kill it, unless it is still writing its recording.
        return _ALL_CLOSED in _text(folder / "server.log") and not archive.is_being_recorded()

    end_process(server.pid, server.started, is_done)
    archive.make()


def _package_folder() -> Path:
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise ConfigurationError(
            "the embedded graph is not installed: run pip install '.[embedded]' in the clone of Stoic Eval, or set "
            "NEO_URI and STOIC_GRAPH_URI to graph servers of your own"
        )
    return Path(found.submodule_search_locations[0])


def _command(folder: Path) -> list[str]:
    settings = {"server.logsDirectory": folder / "log", **_SETTINGS}
    defines = [_over(folder), *(f"-Darcadedb.{key}={value}" for key, value in settings.items())]
    archive = _archive()
    return [*archive.java, *archive.options(), *defines, "com.arcadedb.server.ArcadeDBServer"]


def _over(folder: Path) -> str:
    return f"-Darcadedb.server.rootPath={folder}"


def _archive() -> ClassArchive:
    package = _package_folder()
    jars = sorted(str(jar) for jar in (package / "jars").glob("*.jar") if not _UNUSED_JARS.search(jar.name))
    java = [str(package / "jre" / "bin" / "java"), *_JAVA_OPTIONS, "-cp", os.pathsep.join(jars)]
    return ClassArchive(package, java)


def _start_detached(command: list[str], log: Path, folder: Path, held: int) -> int:
    """Starts a process that outlives ours, is no child of ours (no zombie to reap) and gets none of our secrets.

    It waits for a line in the pipe `held`, and ends if that is closed without one. Returns its id.
    """
    environment = {key: os.environ[key] for key in ("PATH", "HOME", "TMPDIR") if key in os.environ}
    environment["LC_ALL"] = "C.UTF-8"  # without a locale, as under cron, Java cannot open a folder with an umlaut
    waiting = '{ read -r go && exec "$@" </dev/null 3<&-; } <&3 >"$log" 2>&1'
    shell = ["/bin/sh", "-c", f"exec 3<&0; log=$1; shift; {waiting} & echo $!", "sh", str(log), *command]
    answer = subprocess.run(
        shell, cwd=folder, env=environment, stdin=held, capture_output=True, text=True, check=True,
        start_new_session=True,
    )  # fmt: skip
    return int(answer.stdout)


def _described(pid: int, passwords: Passwords, log: Path) -> GraphServer:
    started = start_time(pid)
    if started is None:
        raise ServiceUnreachable(_no_start(log))
    return GraphServer(pid, started, "", ROOT, passwords.root, OBSERVER, passwords.observer, str(log.parent))


def _answers(server: GraphServer) -> bool:
    import_lean_neo4j()
    from neo4j import GraphDatabase
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        for address in (server.address(SUBJECT), server.address(STOIC), server.observer()):
            auth = (address.username or "", address.password or "")
            with (
                GraphDatabase.driver(address.uri, auth=auth, connection_timeout=2) as driver,
                driver.session(database=address.database) as session,
            ):
                session.run("RETURN 1").consume()
    except (DriverError, Neo4jError):
        return False
    return True


def _no_start(log: Path) -> str:
    lines = [line.strip()[:200] for line in _text(log).split("\n")]
    ending = " | ".join(line for line in lines if line and not line.startswith("at "))[-800:]  # frames say nothing
    others = " ".join(map(str, processes_with(_over(log.parent))))
    remedy = f"end the process that has its data open with `kill {others}`, " if others else ""
    told = f"the embedded graph did not start, see {log} ({remedy}or set NEO_URI and STOIC_GRAPH_URI)"
    return f"{told}; it {f'ends with: {ending}' if ending else 'is empty'}"


def _text(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
