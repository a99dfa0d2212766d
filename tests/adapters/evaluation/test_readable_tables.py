"""An evaluation that would meet a damaged table at its end is refused at its start."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from evaluation_heads import evaluation_head

from stoic_assets.adapters.evaluation.beginning import Wanted
from stoic_assets.adapters.evaluation.conversations import hold_evaluation
from stoic_assets.adapters.evaluation.judging import EvaluationJudging
from stoic_assets.adapters.evaluation.readable_tables import needed_by_all, refuse_damaged
from stoic_assets.adapters.warehouse.damaged_files import DamagedFile
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.request import EvaluationRequest

ROWS: dict[str, list[dict[str, Any]]] = {"evaluations": [evaluation_head(agent="seneca")]}
OWN, BASE, OTHER = "marcus@1.1.0", "marcus@1.0.0", "seneca@1"


def damaged(workplace: Workplace, table: str, version: str) -> None:
    workplace.warehouse.write(table, version, "e1", ROWS.get(table, [])).write_bytes(b"PAR1")


@pytest.mark.parametrize(
    ("table", "version", "refused"),
    [
        ("evaluations", OTHER, True), ("evaluation_virtues", OTHER, True), ("judge_calibration", "all@all", True),
        ("turns", OTHER, False), ("virtue_scores", OTHER, False),
        ("turns", OWN, True), ("virtue_scores", BASE, True),
    ],
)  # fmt: skip
def test_it_is_refused_for_what_it_reads_and_for_nothing_else(
    workplace: Workplace, make_manifest: Callable[..., Manifest], table: str, version: str, refused: bool
) -> None:
    damaged(workplace, table, version)
    manifest = make_manifest(agent_version=OWN, parents=(BASE,))
    if refused:
        with pytest.raises(DamagedFile, match=f"table {table} of evaluation e1"):
            refuse_damaged(workplace, manifest)
        with pytest.raises(DamagedFile, match=f"table {table} of evaluation e1"):
            asyncio.run(EvaluationJudging(workplace, manifest).verdicts())
    else:
        refuse_damaged(workplace, manifest)
    needed = needed_by_all(workplace.warehouse)
    assert len(list(workplace.warehouse.damaged(needed))) == (refused and version not in (OWN, BASE))


def test_nothing_is_said_to_the_agent(workplace: Workplace, service: Any) -> None:
    job = {"target": {"user": "u", "chatbot": "m"}, "tasks": [{"task": "Greet", "acceptanceCriteria": "Greeted"}]}
    workplace.project.jobs.mkdir()
    (workplace.project.jobs / "chat.yml").write_text(json.dumps(job))
    damaged(workplace, "evaluations", OTHER)
    request = EvaluationRequest(agent_url=f"{service.url}/stoa")
    with pytest.raises(DamagedFile, match=r"table evaluations of evaluation e1 \(seneca@1\)"):
        asyncio.run(hold_evaluation(workplace, Wanted(OWN, "E1", request), "r"))
    assert not [call for call in service.seen if call.method == "PUT"]
