"""The time and memory that the analysis of a large rating study takes: 100,000 ratings with 1,000 draws.

    python -m benchmarks.ratings_analysis [ITEMS] [RATERS]

The goal: under 60 s and 1 GiB on two cores. Reports the analysis, the page, and the peak and CPU time of the process.
docs/performance.md has the results.
"""

import json
import sys
import time
from typing import Any

import numpy as np

from benchmarks.scale.measuring import peak_mb
from stoic_assets.core.ratings.analysis import analyse
from stoic_assets.core.ratings.analysis_document import analysis_document
from stoic_assets.core.ratings.rated_item import RatedItem
from stoic_assets.core.ratings.rating_table import ANSWERS
from stoic_assets.core.ratings.reliability.estimate import USUAL
from stoic_assets.core.ratings.report.page import render_analysis
from stoic_assets.core.ratings.rubric import DIMENSION_NAMES
from stoic_assets.core.ratings.study import Study

MISSING = 0.02


def study(items: int, raters: int) -> list[dict[str, Any]]:
    """Rows of a study in which items differ, raters differ in severity, and one mark in fifty is missing."""
    random = np.random.default_rng(7)
    quality = random.normal(0, 0.9, (items, 1, len(DIMENSION_NAMES)))
    severity = random.normal(0, 0.3, (1, raters, 1))
    noise = random.normal(0, 0.8, (items, raters, len(DIMENSION_NAMES)))
    marks = np.clip(np.round(3.4 + quality + severity + noise), 1, 5).astype(int)
    missing = random.random(marks.shape) < MISSING
    return [
        {
            "rater_id": f"rater-{rater:03}", "test_id": f"item-{item:05}", "comments": "", "seconds": 20.0,
            "order_index": item, "practice": False, "repeat_of": None,
            "overall": ANSWERS[int(np.clip(marks[item, rater].mean() - 1.5, 0, 2))],
            **{
                name: None if missing[item, rater, place] else int(marks[item, rater, place])
                for place, name in enumerate(DIMENSION_NAMES)
            },
        }
        for item in range(items)
        for rater in range(raters)
    ]  # fmt: skip


def main(items: int = 2000, raters: int = 50) -> None:
    rows = study(items, raters)
    known = {f"item-{item:05}": RatedItem(words=60, effectiveness=item / items) for item in range(items)}
    started = time.perf_counter()
    analysis = analyse(Study("benchmark", None, rows), known)
    analysed = time.perf_counter()
    page = render_analysis(analysis)
    drawn = time.perf_counter()
    json.dumps(analysis_document(analysis), allow_nan=False)
    print(f"{len(rows):,} ratings ({items:,} items × {raters} raters), {USUAL.draws:,} draws")
    print(f"analysis {analysed - started:.1f} s, page {drawn - analysed:.1f} s ({len(page) / 1e6:.1f} MB)")
    print(f"peak {peak_mb():.0f} MiB, {time.process_time():.0f} s of CPU in all")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:3]))
