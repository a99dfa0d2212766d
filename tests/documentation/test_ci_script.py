"""The script for CI that the README shows, in a shell that stops at the first failure, as GitHub Actions starts it."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from documents import FENCE, text_of

STOIC = """#!/bin/sh
echo "$1 $2" >> calls
eval "exit \\${$1:-0}"
"""
"""A `stoic` that notes its calls and exits with what the variable named after its command says."""


def script() -> str:
    section = text_of("README.md").partition("\n## In CI\n")[2]
    return next(block for language, block in FENCE.findall(section) if language == "sh")


@pytest.mark.parametrize(
    ("codes", "worst"),
    [
        ({}, 0), ({"eval": "1"}, 1), ({"compare": "1"}, 1), ({"eval": "3", "compare": "1"}, 3),
        ({"eval": "1", "compare": "3"}, 3), ({"release": "2", "compare": "1"}, 2),
    ],
)  # fmt: skip
def test_every_command_runs_and_the_worst_exit_code_counts(tmp_path: Path, codes: dict[str, str], worst: int) -> None:
    stoic = tmp_path / "stoic"
    stoic.write_text(STOIC, encoding="utf-8")
    stoic.chmod(0o755)
    versions = {"BASE": "1", "BASE_URL": "http://base", "VERSION": "2", "URL": "http://candidate"}
    environment = versions | codes | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script()], cwd=tmp_path, env=environment, check=False)
    calls = (tmp_path / "calls").read_text(encoding="utf-8")
    assert done.returncode == worst
    assert re.findall(r"^\w+", calls, re.MULTILINE) == ["eval", "release", "eval", "compare"]
