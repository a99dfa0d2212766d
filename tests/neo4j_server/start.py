"""Run a disposable Neo4j Community server on loopback for the graph tests. Needs Java 17 or later, and Maven once.

    python tests/neo4j_server/start.py                     prints its URI, runs until stopped
    python tests/neo4j_server/start.py pytest tests/adapters   runs a command with STOIC_TEST_NEO4J_URI set

Maven copies the server's jars (pom.xml) to a cache folder the first time. Data lives in a temporary folder.
"""

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree

from neo4j import GraphDatabase
from neo4j.exceptions import DriverError, Neo4jError

VARIABLE = "STOIC_TEST_NEO4J_URI"
POM = Path(__file__).with_name("pom.xml")
START_SECONDS = 120
SETTINGS = """\
server.bolt.listen_address=127.0.0.1:{port}
server.bolt.advertised_address=127.0.0.1:{port}
server.directories.import=import
server.http.enabled=false
server.https.enabled=false
server.memory.pagecache.size=32m
db.memory.transaction.max=64m
dbms.memory.transaction.total.max=128m
dbms.usage_report.enabled=false
internal.server.bolt.thread_pool_shutdown_wait_time=0s
"""
JAVA_OPTIONS = (
    *("-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dlog4j2.disable.jmx=true"),
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.nio", "java.io", "sun.nio.ch")),
    "--enable-native-access=ALL-UNNAMED",
)


def jars() -> Path:
    """The folder with the server's jars, filled by Maven if it is not there yet."""
    version = ElementTree.parse(POM).findtext(".//{*}dependency/{*}version")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "stoic-eval"
    folder = cache / f"neo4j-{version}"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as temporary:
            target = Path(temporary) / "jars"
            goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={target}"]
            subprocess.run(["mvn", "-q", "-B", "-f", str(POM), *goal], check=True, stdout=sys.stderr)
            target.rename(folder)
    return folder


@contextmanager
def neo4j_server() -> Iterator[str]:
    """A fresh server; gives its URI with the credentials in it, and stops it at the end."""
    port, password = free_port(), secrets.token_hex(12)
    with tempfile.TemporaryDirectory(prefix="stoic-neo4j-") as home:
        conf = Path(home) / "conf"
        conf.mkdir()
        (conf / "neo4j.conf").write_text(SETTINGS.format(port=port))
        java = Path(os.environ["JAVA_HOME"], "bin", "java") if "JAVA_HOME" in os.environ else "java"
        server = [
            "org.neo4j.server.CommunityEntryPoint",
            f"--home-dir={home}",
            f"--config-dir={conf}",
            "--console-mode",
        ]
        command = [str(java), *JAVA_OPTIONS, "-cp", f"{jars()}/*", *server]
        with (
            (Path(home) / "console.log").open("wb") as log,
            subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True) as process,
        ):
            try:
                set_password(process, port, password, Path(log.name))
                yield f"bolt://neo4j:{password}@127.0.0.1:{port}"
            finally:
                process.terminate()


def free_port() -> int:
    """A free port: Neo4j would take port 0 too, but tells nobody which one it got."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def set_password(process: "subprocess.Popen[bytes]", port: int, password: str, log: Path) -> None:
    """Wait until Bolt answers, then change the initial password, without which the server does nothing else."""
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with (
                GraphDatabase.driver(f"bolt://127.0.0.1:{port}", auth=("neo4j", "neo4j")) as driver,
                driver.session(database="system") as session,
            ):
                session.run("ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO $password", password=password).consume()
                return
        except (DriverError, Neo4jError):
            time.sleep(0.2)
    raise SystemExit(f"Neo4j did not start:\n{log.read_text(errors='replace')[-2000:]}")


def stop_on_signal(number: int, _frame: object) -> NoReturn:
    """Leave through the `finally` blocks."""
    raise SystemExit(128 + number)


def main(command: list[str]) -> int:
    """Run a command beside the server, or else print the URI and wait for a signal."""
    signal.signal(signal.SIGTERM, stop_on_signal)
    signal.signal(signal.SIGINT, stop_on_signal)
    with neo4j_server() as uri:
        if command:
            return subprocess.run(command, env={**os.environ, VARIABLE: uri}, check=False).returncode
        sys.stdout.write(f"{uri}\n")
        sys.stdout.flush()
        signal.pause()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
