"""A program that runs beside a command and ends with it, whatever happens to either."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def child_process(
    command: Sequence[str], env: Mapping[str, str], patience: float, cwd: Path | None = None, stdout: int | None = None
) -> Iterator["subprocess.Popen[str]"]:
    """The process of `command` while the block runs; then it is asked to end, and killed after `patience` seconds."""
    with subprocess.Popen(command, env=env, cwd=cwd, stdout=stdout, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()
            _wait_or_kill(process, patience)


def _wait_or_kill(process: "subprocess.Popen[str]", patience: float) -> None:
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        pass  # it does not listen
    finally:
        process.kill()  # does nothing to one that has ended
