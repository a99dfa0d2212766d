"""Processes seen from outside: servers of a benchmark, the cost of a command, how busy the machine is. Linux only."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.scale.measuring import peak_mb

ROOT = Path(__file__).parents[2]
STOIC = str(Path(sys.executable).with_name("stoic"))
KEPT = ("PATH", "HOME", "LANG", "TMPDIR")
"""Variables that a command gets from our own environment."""
TICKS = os.sysconf("SC_CLK_TCK")


def environment(agent: str, model: str, home: Path) -> dict[str, str]:
    """The environment of a `stoic` that calls our own servers at these addresses."""
    return {name: os.environ[name] for name in KEPT if name in os.environ} | {
        "OPENAI_API_KEY": "benchmark", "OPENAI_BASE_URL": f"{model}/v1", "AGENT_URL": agent, "STOIC_HOME": str(home),
    }  # fmt: skip


@dataclass(frozen=True)
class Server:
    """One of our own servers, running."""

    url: str

    def tally(self) -> dict[str, Any]:
        """The calls that it received so far (see `servers.Service.tally`)."""
        with urllib.request.urlopen(f"{self.url}/tally", timeout=10) as reply:
            return dict(json.load(reply))


@contextmanager
def served(role: str, latency: float, bookkeeping: float) -> Iterator[Server]:
    """A server in a process of its own while the block runs."""
    with listening("benchmarks.throughput.servers", role, str(latency), str(bookkeeping)) as url:
        yield Server(url)


@contextmanager
def listening(module: str, *arguments: str) -> Iterator[str]:
    """The address of one of the benchmarks' modules that print a port and serve there, while the block runs."""
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.terminate()


def python(module: str, *arguments: str) -> dict[str, float]:
    """Runs one of the benchmarks' modules that print JSON."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout))


@dataclass(frozen=True)
class Ended:
    """A command that ended. Seconds; CPU and memory (MB) are those of the process itself, without its children."""

    started: float
    wall: float
    cpu: float
    peak_mb: float
    out: str


def run(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> Ended:
    """Runs a command to its end. Raises `RuntimeError` with its stderr when it failed."""
    with (folder / "out").open("w+") as out, (folder / "err").open("w+") as err:
        started = time.time()
        process = subprocess.Popen(command, cwd=folder, env=dict(env), stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        peak = 0.0
        # It is read before the process is waited for: only then its own figures are separate from its children's.
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            peak = peak_mb(process.pid) or peak
            time.sleep(0.02)
        wall = time.time() - started
        user, system = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        if process.wait():
            err.seek(0)
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {err.read()[-2000:]}")
        out.seek(0)
        return Ended(started, wall, (int(user) + int(system)) / TICKS, peak, out.read())


def await_quiet(busy: float, patience: float = 60.0) -> float:
    """Waits until the processors are less busy than that, for at most `patience` seconds; returns how busy they are."""
    end = time.monotonic() + patience
    while (share := _busy_share(1.0)) > busy and time.monotonic() < end:
        pass
    return share


def _busy_share(seconds: float) -> float:
    def spent() -> tuple[int, int]:
        times = [int(ticks) for ticks in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        return sum(times), times[3] + times[4]

    before = spent()
    time.sleep(seconds)
    after = spent()
    return 1 - (after[1] - before[1]) / max(1, after[0] - before[0])
