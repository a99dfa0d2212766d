"""The machines of one deployment, and what they are to evaluate."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from connections import Connections
from stoic_command import Stoic

BIN = Path(sys.executable).parent
DEPLOY = Path(__file__).parents[3] / "deploy"
AGENTS = ("ada", "bob", "cleo", "dan")
LINES = ("What is the capital of France?", "A poem, please.", "Another one.")
GREETING = "Hello"
QUICKER = {
    "lost_after_seconds: 60": "lost_after_seconds: 1",
    "poll_interval_seconds: 30": "poll_interval_seconds: 2",
    "free_slots_after_run_end_seconds: 60": "free_slots_after_run_end_seconds: 1",
}
"""What the test changes in `deploy/dagster.yaml`: patience."""


class Machines:
    """The daemon and the workers of one deployment, all of one project and one home."""

    def __init__(self, stoic: Stoic, noted: Connections) -> None:
        self.stoic = stoic
        self.env = {**{name: os.environ[name] for name in ("PATH", "HOME")}, **stoic.env, **noted.env}
        self.logs = stoic.home / "logs"
        self.logs.mkdir(parents=True)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, *command: str | Path) -> None:
        """Begins a process in a group of its own."""
        with (self.logs / name).open("wb") as log:
            self.processes[name] = subprocess.Popen(
                command, cwd=self.stoic.project, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )

    def worker(self, name: str) -> None:
        """Begins a worker for two runs at a time, as `deploy/compose.yaml` does."""
        app = ("-A", "stoic_assets.defs.celery_worker")
        self.start(name, BIN / "celery", *app, "worker", "--concurrency", "2", "--hostname", f"{name}@here")

    def kill(self, name: str) -> None:
        """Ends a process and all its children without a word, as a machine that loses power."""
        os.killpg(self.processes[name].pid, signal.SIGKILL)
        self.processes.pop(name).wait()

    def ask_to_stop(self, name: str) -> None:
        """Asks a worker to end its runs and then itself, as systemd, Docker and Kubernetes do."""
        self.processes[name].terminate()

    def end_of(self, name: str) -> int:
        """The exit code of a process, once it has ended."""
        code = self.processes[name].wait(100)
        del self.processes[name]
        return code

    def told(self) -> str:
        """The last words of each, for a failure's message."""
        return "\n".join(f"--- {log.name}\n{log.read_text()[-3000:]}" for log in sorted(self.logs.iterdir()))

    def stop(self) -> None:
        """Ends them all; nobody waits for what they do."""
        for name in list(self.processes):
            self.kill(name)
