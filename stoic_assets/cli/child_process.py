"""Runs a program beside a command and ends it with the command; if it is `tied`, even when the command is killed."""

import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

UNINTERRUPTED = ("/bin/sh", "-c", 'trap "" INT; exec "$@"', "sh")
"""Put before a command: it ignores Ctrl-C, which a terminal sends to all its processes, so that we end it ourselves."""


@contextmanager
def child_process(
    command: Sequence[str], env: Mapping[str, str], patience: float, cwd: Path | None = None,
    tied: bool = False, inherited: Collection[int] = (), apart: bool = False,
) -> Iterator["subprocess.Popen[str]"]:
    """Runs `command` while the block runs, and yields its process; then asks it to end, and after `patience` seconds
    kills it.

    A process that is `tied` has pipes for its standard input and output. Its input is closed when we end, even when we
    are killed (SIGKILL) and cannot ask it to end: it must end by itself then. Of our open files it gets only those
    whose descriptors are `inherited`. A process set `apart` receives no signals from the terminal (Ctrl-C, hang-up):
    it ends only because we end it.
    """
    group, pipe = 0 if apart else None, subprocess.PIPE if tied else None
    with subprocess.Popen(
        command, env=env, cwd=cwd, stdin=pipe, stdout=pipe, text=True, pass_fds=inherited, process_group=group
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            _wait_or_kill(process, patience)


def _wait_or_kill(process: "subprocess.Popen[str]", patience: float) -> None:
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        pass  # it ignores the request
    finally:
        process.kill()  # has no effect on a process that has ended
