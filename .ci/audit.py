#!/usr/bin/env python3
"""Compares requirements.lock with published vulnerabilities: `make audit`.

Exit code 0: nothing is known against any package. 1: something is. 2: for some packages there was no data, so that
nothing can be said of them; pip-audit itself calls that "no known vulnerabilities found".
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LOCK = Path(__file__).parents[1] / "requirements.lock"
FORM = ("--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json")
COMMAND = (*FORM, "--requirement", str(LOCK))


def main(pip_audit: list[str]) -> int:
    """Runs pip-audit and says what it found."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "audit.json"
        done = subprocess.run([*pip_audit, *COMMAND, "--output", str(told)], capture_output=True, text=True)
        if not told.exists():
            last = (done.stderr.strip().splitlines() or [f"pip-audit ended with {done.returncode}"])[-1]
            print(f"not audited, the data cannot be reached: {last}")
            return 2
        packages = json.loads(told.read_text())["dependencies"]
    return verdict(packages)


def verdict(packages: list[dict[str, Any]]) -> int:
    """Prints what is known of each package that has something, then a summary; returns the exit code."""
    skipped = [package for package in packages if "skip_reason" in package]
    vulnerable = [package for package in packages if package.get("vulns")]
    for package in vulnerable:
        for flaw in package["vulns"]:
            fixed = ", ".join(flaw["fix_versions"]) or "no version yet"
            print(f"{package['name']} {package['version']}: {flaw['id']}, mended in {fixed}")
    print(f"{len(packages) - len(skipped)} packages audited, {len(vulnerable)} of them vulnerable")
    if skipped:
        print(f"{len(skipped)} not audited, there is no data on them here: {skipped[0]['skip_reason']}, and so on")
    return 1 if vulnerable else 2 if skipped or not packages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
