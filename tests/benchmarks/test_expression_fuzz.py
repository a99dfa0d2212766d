"""Short runs of the fuzzer; the long one is `python -m benchmarks.expression_fuzz`."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("inputs", ["400", pytest.param("1500", marks=pytest.mark.long)])
def test_no_expression_escapes_hangs_or_crashes(inputs: str) -> None:
    command = [sys.executable, "-m", "benchmarks.expression_fuzz", "--inputs", inputs]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "no escape, no hang, no crash"
