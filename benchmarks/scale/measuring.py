"""The cost of work to its process: time, and the peak of its resident memory."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Cost = dict[str, float]
"""`wall` and `cpu`, in seconds."""


def timed(work: Callable[[], Any]) -> Cost:
    """The cost of one call."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def peak_mb() -> float:
    """Of this process since it was started, in MB; `getrusage` would include the peak of the parent that forked it."""
    [kilobytes] = re.findall(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(kilobytes) / 1024
