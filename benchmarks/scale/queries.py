"""The five questions that people ask of a warehouse, asked as the product does, in one process.

    python -m benchmarks.scale.queries WAREHOUSE EVALUATIONS PER_VERSION

composite    what the stage computes for one evaluation, and the score of every stored evaluation
trend        every virtue of the agent over its releases, as the asset, the report and the stoic graph read it
comparison   both sides as `stoic compare` reads them; the statistics that follow do not depend on the history
report       everything that the HTML report of an evaluation and its base is made from
transcript   one conversation out of all, in SQL, and all of its evaluation, as the judges' stages read them

Prints JSON: seconds and CPU seconds of each and of all, and the peak of resident memory in MB, imports included.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.scale.measuring import peak_mb, timed
from benchmarks.scale.places import ALWAYS_OWN, History, Place
from stoic_assets.adapters.evaluation.report import report_data
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.evaluation.version_comparison import read_side
from stoic_assets.adapters.project import Project
from stoic_assets.adapters.warehouse.sql_models import open_models
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.specification import EvaluationSpec
from stoic_assets.core.progress import Progress
from stoic_assets.core.table_rows import Row

SPEC = EvaluationSpec(
    jobs=(), addresses={}, agent_model="m", evaluator_model="m", judge_models=("m",), judge_samples=1, prompts_hash=""
)
SCORES = "select agent_version, evaluation_id, average_overall from evaluation_scores"
TREND = "select * from virtue_trends where agent = ?"
TRANSCRIPT = "select turn, speaker, content from turns where agent_version = ? and trial_id = ? order by turn"


def workplace_over(warehouse: Path) -> Workplace:
    """A workplace whose only content is this warehouse."""
    home = warehouse.with_name("home")
    return Workplace(Project(home, home, warehouse), Settings(), {}, Progress())


def base_and_candidate(history: History) -> tuple[Place, Place]:
    """Two evaluations of neighbouring versions, from the middle."""
    places = list(islice(history.places(), ALWAYS_OWN))
    middle = len(places) // 2
    return places[max(0, middle - history.per_version)], places[middle]


def manifest_of(candidate: Place, base: Place) -> Manifest:
    """The part of the candidate's manifest that a report needs."""
    return Manifest(
        evaluation_id=candidate.evaluation_id, agent_version=candidate.agent_version,
        started_at=candidate.started_at.isoformat(), offline=False, parents=(base.agent_version,),
        run_id=candidate.evaluation_id, spec=SPEC, spec_hash="", job_hashes={},
    )  # fmt: skip


def questions(workplace: Workplace, history: History) -> dict[str, Callable[[], Any]]:
    """The questions, by name."""
    base, candidate = base_and_candidate(history)
    warehouse, manifest, (version, evaluation, _) = workplace.warehouse, manifest_of(candidate, base), candidate
    trial = f"{evaluation}.job3.withheld.1"
    return {
        "composite": lambda: _composite(warehouse, candidate) and warehouse.query(SCORES),
        "trend": lambda: warehouse.query(TREND, ["marcus"]),
        "comparison": lambda: [read_side(workplace, *place[:2]) for place in (base, candidate)],
        "report": lambda: report_data(workplace, manifest),
        "transcript": lambda: (
            warehouse.query(TRANSCRIPT, [version, trial]) and EvaluationTables(workplace, manifest).evidence()
        ),
    }


def _composite(warehouse: Warehouse, place: Place) -> list[Row]:
    with open_models(warehouse, *place[:2]) as models:
        return models.rows("composite_scores")


def measure(warehouse: Path, history: History) -> dict[str, Any]:
    """Asks everything once."""
    asked = questions(workplace_over(warehouse), history)
    found: dict[str, Any] = {name: timed(partial(_answered, name, ask)) for name, ask in asked.items()}
    together = {kind: sum(cost[kind] for cost in found.values()) for kind in ("wall", "cpu")}
    return found | {"together": together, "rss_mb": peak_mb()}


def _answered(name: str, ask: Callable[[], Any]) -> None:
    if not ask():
        raise SystemExit(f"{name} found nothing")


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), History(int(sys.argv[2]), int(sys.argv[3])))))
