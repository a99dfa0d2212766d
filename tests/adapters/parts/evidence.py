"""Evaluations of one version on disk, of which another process holds one."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from stoic_assets.core.evaluation.manifest import Manifest

VERSION = "marcus@1.1.0"
Make = Callable[..., Manifest]


@contextmanager
def elsewhere(home: Path) -> Iterator[None]:
    """Another process holds evaluation E1 until the block ends, and is killed."""
    command = [sys.executable, "-c", HOLD, str(home)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        try:
            yield
        finally:
            other.kill()


HOLD = """
import sys
from pathlib import Path
from stoic_assets.adapters.disk.evidence_store import EvidenceStore
with EvidenceStore(Path(sys.argv[1])).locked("marcus@1.1.0", "E1"):
    print("held", flush=True)
    sys.stdin.readline()
"""
