"""The measurements as Markdown tables, compared with the goals."""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from benchmarks.markdown_table import print_table

QUESTIONS = ("composite", "trend", "comparison", "report", "transcript", "together")
SECONDS, SECONDS_COMPACTED, SECONDS_REPORT = 2.0, 1.0, 5.0
QUESTIONS_MB, COMPACTION_MB = 256, 512


@dataclass(frozen=True)
class Point:
    """One point of the curve, `before` or `after` compaction, and what the measuring processes printed there."""

    evaluations: int
    stage: str
    found: dict[str, Any]


def print_tables(points: Sequence[Point]) -> None:
    """Prints all measurements."""
    print(f"\n{_machine()}, {datetime.now(UTC):%Y-%m-%d}. Times are seconds, `wall / CPU`.")
    asked = [(point, point.found["asked"]) for point in points]
    print_table(
        "The five questions, in one process", ["evaluations", "compaction", *QUESTIONS, "MB"],
        [[*_place(point), *(_cost(each[name]) for name in QUESTIONS), _mb(each)] for point, each in asked],
    )
    added = [(point, point.found["added"]) for point in points]
    costs = ("write", "publish", "check", "views", "publish_again")
    print_table(
        "One more evaluation",
        ["evaluations", "compaction", "write", "publish", "check", "look back", "publish again", "MB"],
        [[*_place(point), *(_cost(each[name]) for name in costs), _mb(each)] for point, each in added],
    )
    compactions = [(point, point.found["compaction"]) for point in points if "compaction" in point.found]
    print_table(
        "Compaction", ["evaluations", "merge", "remove", "MB", "files"],
        [[f"{point.evaluations:,}", _cost(each["merge"]), _cost(each["remove"]), _mb(each),
          f"{each['before']:,} → {each['after']:,}"] for point, each in compactions],
    )
    reports = [(point, point.found["report"]) for point in points if "report" in point.found]
    print_table(
        "The HTML report of one evaluation",
        ["evaluations", "render", "MB of memory", "MB of file", "opens in s", "usual frame ms", "longest frame ms"],
        [[f"{point.evaluations:,}", _cost(each), _mb(each), f"{each['file_mb']:.1f}", *_opened(each)]
         for point, each in reports],
    )  # fmt: skip


def print_goals(points: Sequence[Point], evaluations: int) -> bool:
    """Compares the point with so many evaluations with the goals; returns whether all are met."""
    before, after = (point.found for point in points if point.evaluations == evaluations)
    goals = [
        ("five questions before compaction, s", before["asked"]["together"]["wall"], SECONDS),
        ("five questions before compaction, MB", before["asked"]["rss_mb"], QUESTIONS_MB),
        ("five questions after compaction, s", after["asked"]["together"]["wall"], SECONDS_COMPACTED),
        ("compaction, MB", after["compaction"]["rss_mb"], COMPACTION_MB),
        ("report, s", before["report"]["wall"], SECONDS_REPORT),
    ]
    rows = [[goal, f"{found:.3g}", f"{most:g}", "yes" if found < most else "no"] for goal, found, most in goals]
    print_table(f"Goals at {evaluations:,} evaluations", ["what", "found", "goal: under", "met"], rows)
    return all(found < most for _, found, most in goals)


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = f"Python {platform.python_version()}, DuckDB {version('duckdb')}, pyarrow {version('pyarrow')}"
    return f"{os.cpu_count()} CPUs, {memory:.0f} GB, {versions}"


def _place(point: Point) -> tuple[str, str]:
    return f"{point.evaluations:,}", point.stage


def _cost(cost: dict[str, float]) -> str:
    return f"{cost['wall']:.2f} / {cost['cpu']:.2f}"


def _mb(found: dict[str, float]) -> str:
    return f"{found['rss_mb']:.0f}"


def _opened(report: dict[str, float]) -> tuple[str, str, str]:
    if "loaded" not in report:
        return "no Chromium", "", ""
    return f"{report['loaded']:.2f}", f"{report['usual_frame_ms']:.0f}", f"{report['longest_frame_ms']:.0f}"
