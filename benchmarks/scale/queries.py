"""The five questions that people ask of a warehouse, as the product asks them, in one process.

    python -m benchmarks.scale.queries WAREHOUSE VERSIONS PER_VERSION

Prints JSON: seconds and CPU seconds of each, their sums, and the peak of resident memory in MB, imports included.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.scale.memory import peak_mb
from benchmarks.scale.places import History
from stoic_assets.adapters.evaluation_report import report_data
from stoic_assets.adapters.project import Project
from stoic_assets.adapters.version_comparison import read_side
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation import EvaluationSpec, Manifest
from stoic_assets.core.progress import Unwatched
from stoic_assets.core.settings import Settings

SPEC = EvaluationSpec(
    jobs=(), addresses={}, agent_model="m", evaluator_model="m", judge_models=("m",), judge_samples=1, prompts_hash=""
)


def workplace_over(warehouse: Path) -> Workplace:
    """A workplace whose only content is this warehouse."""
    home = warehouse.with_name("home")
    return Workplace(Project(home, home, warehouse), Settings(), {}, Unwatched())


def questions(workplace: Workplace, history: History) -> dict[str, Callable[[], Any]]:
    """What is asked, of versions and evaluations in the middle of the first thousand, which are never links."""
    places = list(history.places())[:1000]
    middle = len(places) // 2
    version, evaluation, started = places[middle]
    base = places[max(0, middle - history.per_version)]
    manifest = Manifest(
        evaluation_id=evaluation, agent_version=version, started_at=started.isoformat(), offline=False,
        parents=(base[0],), run_id=evaluation, spec=SPEC, spec_hash="",
    )  # fmt: skip
    warehouse = workplace.warehouse
    composite = "select evaluation_id, avg(overall) from composite_scores where agent_version = ? group by 1"
    transcript = "select turn, speaker, content from turns where agent_version = ? and trial_id = ? order by turn"
    return {
        "composite": lambda: warehouse.query(composite, [version]),
        "trend": lambda: warehouse.query("select * from virtue_trends where agent = ?", ["marcus"]),
        "comparison": lambda: [read_side(workplace, *place[:2]) for place in (base, (version, evaluation))],
        "report": lambda: report_data(workplace, manifest),
        "transcript": lambda: warehouse.query(transcript, [version, f"{evaluation}.job3.withheld.1"]),
    }


def measure(warehouse: Path, history: History) -> dict[str, Any]:
    """Asks everything once."""
    found: dict[str, Any] = {}
    begin, begin_cpu = time.perf_counter(), time.process_time()
    for name, ask in questions(workplace_over(warehouse), history).items():
        wall, cpu = time.perf_counter(), time.process_time()
        if not ask():
            raise SystemExit(f"{name} found nothing")
        found[name] = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    found["together"] = {"wall": time.perf_counter() - begin, "cpu": time.process_time() - begin_cpu}
    found["rss_mb"] = peak_mb()
    return found


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), History(int(sys.argv[2]), int(sys.argv[3])))))
