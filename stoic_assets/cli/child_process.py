"""A program that runs next to a command and ends with it, whatever happens to either; after SIGKILL if it is `tied`."""

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
    """The process of `command` while the block runs; then it is asked to end, and killed after `patience` seconds.

    A process that is `tied` has pipes for its standard input and output. Its input ends with us, also when we are
    killed (SIGKILL) and can ask nobody: it must take that for its own end. Of our open files it gets only those whose
    descriptors are `inherited`. A process set `apart` receives no signals from the terminal (Ctrl-C, hang-up): it ends
    because we end it.
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
