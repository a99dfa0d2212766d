"""The cost of work to its process: time, and the peak of resident memory."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

Cost = dict[str, float]
"""`wall` and `cpu`, in seconds."""


def timed(work: Callable[[], Any]) -> Cost:
    """The cost of one call."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def peak_mb(process: int | Literal["self"] = "self") -> float:
    """Of a process since it was started, in MB; 0 for one that is just ending.

    `getrusage` would include the peak of the parent that forked it.
    """
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0
