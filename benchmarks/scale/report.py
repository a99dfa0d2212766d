"""The cost of the HTML report of one evaluation, and how it opens in a browser.

    python -m benchmarks.scale.report WAREHOUSE EVALUATIONS PER_VERSION

Prints JSON: seconds and CPU seconds to collect its rows and to render it, its size in MB, the peak of resident memory
in MB; and, if Chromium is on PATH, the seconds until it is loaded and the longest frame, in milliseconds, while the
page with all trials unfolded is scrolled from top to bottom.
"""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from benchmarks.scale.measuring import peak_mb, timed
from benchmarks.scale.places import History
from benchmarks.scale.queries import base_and_candidate, manifest_of, workplace_over
from stoic_assets.adapters.evaluation.report import write_report

FLAGS = ("--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking", "--no-first-run")
SCROLL = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  document.getElementById("trial-toggle").click();
  await frame();
  const times = [];
  for (let step = 0, last = performance.now(); step <= 200; step++) {
    scrollTo(0, document.documentElement.scrollHeight * step / 200);
    await frame();
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  return times.sort((a, b) => a - b);
}"""


def measure(warehouse: Path, history: History) -> dict[str, Any]:
    """Renders the report as `stoic report` does, and opens it."""
    base, candidate = base_and_candidate(history)
    workplace, file = workplace_over(warehouse), warehouse.with_name("report.html")
    cost = timed(lambda: write_report(workplace, manifest_of(candidate, base), file))
    found = cost | {"file_mb": file.stat().st_size / 1e6, "rss_mb": peak_mb()}
    chromium = shutil.which("chromium")
    return {"report": found | (_opened(chromium, file) if chromium else {})}


def _opened(chromium: str, file: Path) -> dict[str, float]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(file.as_uri())
        loaded = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
        frames = page.evaluate(SCROLL)
        browser.close()
    return {"loaded": loaded / 1000, "usual_frame_ms": frames[len(frames) // 2], "longest_frame_ms": frames[-1]}


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), History(int(sys.argv[2]), int(sys.argv[3])))))
