"""Makes the pictures of the README from a demo run: the asset graph in Dagster's web UI, and the top of the report.

    make pictures

Needs Chromium on PATH. Nothing outside this folder is changed: the demo runs in a temporary STOIC_HOME.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from web_ui import CHROMIUM, STOIC, chromium, extent, open_asset_graph, web_ui

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent


def main() -> int:
    """Runs the demo and writes both pictures; returns the exit code."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    if CHROMIUM is None:
        sys.stderr.write("make_pictures: chromium is not on PATH; install it (Debian: apt-get install chromium)\n")
        return 2
    with tempfile.TemporaryDirectory(prefix="stoic-pictures-") as home, chromium() as browser:
        report = run_demo(home)
        save(picture_of_report(browser, report), "report.png")
        with web_ui(PROJECT, {"STOIC_HOME": home}) as url:
            save(picture_of_graph(browser, url), "asset_graph.png")
    return 0


def run_demo(home: str) -> Path:
    """Evaluates both demo releases; returns the report of the second."""
    subprocess.run([STOIC, "demo", "--json"], cwd=PROJECT, env=environment(home), stdout=subprocess.DEVNULL, check=True)
    told = subprocess.run(
        [STOIC, "report", "--agent-version", "marcus@1.1.0", "--json"], cwd=PROJECT, env=environment(home),
        stdout=subprocess.PIPE, check=True,
    )
    return Path(json.loads(told.stdout)["path"])


def environment(home: str) -> dict[str, str]:
    """Ours with a STOIC_HOME of its own."""
    return {**os.environ, "STOIC_HOME": home}


def picture_of_report(browser: Any, report: Path) -> bytes:
    """The first screen of a report."""
    page = browser.new_page(viewport={"width": 1280, "height": 1080})
    page.goto(report.as_uri())
    return bytes(page.screenshot())


def picture_of_graph(browser: Any, url: str) -> bytes:
    """The assets of an evaluation with their checks and partitions; all others would make them too small to read."""
    page = open_asset_graph(browser, url, folded=["people"])
    page.get_by_text("2 partitions").first.wait_for()
    page.wait_for_timeout(2000)  # the drawing moves into place and its colours fade in
    return bytes(page.screenshot(clip=extent(page)))


def save(png: bytes, name: str) -> None:
    """Writes a screenshot with a palette of 256 colours: a quarter of the bytes, and small icons keep theirs."""
    path = HERE / name
    Image.open(BytesIO(png)).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
    sys.stdout.write(f"wrote {path.relative_to(PROJECT)}, {path.stat().st_size // 1024} KiB\n")


if __name__ == "__main__":
    raise SystemExit(main())
