"""The addresses that an evaluation calls, as the kernel sees it: from all its processes, Python, Java and native code.

    python -m benchmarks.calls_out

Evaluates ten trials with models, agent and the embedded graph under `strace` (Linux), and lists every internet address
that was connected or sent to. Exit code 1 if one of them is neither configured nor a port that the evaluation itself
opened on loopback, or if a configured one is missing.
"""

import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.throughput.processes import STOIC, environment, served
from benchmarks.throughput.workload import REPEATS, Workload, write_project

CALL = re.compile(
    r"^(?P<thread>\d+) +(?P<call>\w+)\((?P<file>\d+),.*?"
    r"sin6?_port=htons\((?P<port>\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )\"(?P<host>[^\"]+)\""
)
LOOPBACK = re.compile(r"127\.|::1$|::ffff:127\.")
WATCHED = "connect,sendto,sendmsg,sendmmsg,bind,getsockname"


def traced(folder: Path, env: dict[str, str]) -> str:
    """The output of strace for one evaluation in the project at `folder`, each line after the number of its thread."""
    trace = folder / "trace"
    # A file for each thread: in a common one, simultaneous calls break up lines.
    watch = ["strace", "-ff", "-qq", "-e", f"trace={WATCHED}", "-e", "signal=none", "-o", str(trace)]
    done = subprocess.run([*watch, STOIC, "eval", "--json"], cwd=folder, env=env, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the evaluation ended with {done.returncode}: {done.stderr[-2000:]}")
    files = sorted(folder.glob("trace.*"))
    return "\n".join(
        f"{file.suffix[1:]} {line}" for file in files for line in file.read_text(errors="replace").splitlines()
    )


def addresses(trace: str) -> tuple[Counter[str], set[str]]:
    """How often each address was called, and the ports that were opened on loopback."""
    called, opened, bound = Counter[str](), set[str](), set[tuple[str, str]]()
    for found in filter(None, map(CALL.search, trace.splitlines())):
        socket = (found["thread"], found["file"])
        if found["call"] == "bind":
            bound |= {socket} if LOOPBACK.match(found["host"]) else set()
        elif found["call"] == "getsockname":  # the port of a socket that was bound to any
            opened |= {found["port"]} if socket in bound else set()
        else:
            called[f"{found['host'].removeprefix('::ffff:')}:{found['port']}"] += 1
    return called, opened


def main() -> int:
    with tempfile.TemporaryDirectory() as temporary, served("agent", 0, 0) as agent, served("model", 0, 0) as model:
        folder = Path(temporary)
        write_project(folder, Workload(trials=REPEATS))
        env = environment(agent.url, model.url, folder / ".stoic")
        called, opened = addresses(traced(folder, env))
        configured = {agent.url.rpartition("/")[2]: "the agent", model.url.rpartition("/")[2]: "the models"}
    strangers = 0
    for address, times in called.most_common():
        host, _, port = address.rpartition(":")
        own = "the embedded graph" if LOOPBACK.match(host) and port in opened else None
        who = configured.get(address) or own
        strangers += who is None
        print(f"{address:24} {times:5}  {who or 'NOT CONFIGURED'}")
    return 1 if strangers or not set(configured) <= set(called) else 0


if __name__ == "__main__":
    sys.exit(main())
