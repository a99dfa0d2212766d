"""A short run of the fuzzer; the long one is `python -m benchmarks.expression_fuzz`."""

import subprocess
import sys
from pathlib import Path


def test_no_expression_escapes_hangs_or_crashes() -> None:
    command = [sys.executable, "-m", "benchmarks.expression_fuzz", "--inputs", "1500"]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "no escape, no hang, no crash"
