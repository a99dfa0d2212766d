"""The peak of a process's resident memory."""

import re
from pathlib import Path


def peak_mb() -> float:
    """Of this process since it was started, in MB; `getrusage` would tell the peak of whoever forked it, too."""
    [kilobytes] = re.findall(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(kilobytes) / 1024
