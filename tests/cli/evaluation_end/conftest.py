"""An evaluation that came to its end."""

from collections.abc import Callable
from typing import Any

import pytest
from evaluation_heads import evaluation_head
from stored_evaluation import START, Stored

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.outcome import Outcome, evaluation_outcome
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.scoring.evaluation_document import DOCUMENT_TABLES


@pytest.fixture
def stored(workplace: Workplace, make_manifest: Callable[..., Manifest]) -> Stored:
    """An evaluation in the warehouse, of which nothing is known but its means and what is given.

    Its manifest is the one that was begun, else one without jobs. `tables` are rows by their table, the rest columns of
    `evaluation_scores`.
    """

    def store(
        virtues: tuple[dict[str, Any], ...] = (), tables: dict[str, Any] | None = None, cost_usd: float | None = None,
        offline: bool = False, **scores: Any,
    ) -> Outcome:
        key = ("marcus@1", "E")
        head = evaluation_head(offline=offline, planned_trials=0, started_at=START, cost_usd=cost_usd)
        counts = {"agent": "marcus", "planned_trials": 0, "scored_trials": 0, "invalid_trials": 0, "conclusive": True}
        known = {"evaluations": [head], "evaluation_scores": [counts | scores], "evaluation_virtues": virtues}
        known |= tables or {}
        for table in {"turns", *DOCUMENT_TABLES, *known}:
            workplace.warehouse.write(table, *key, known.get(table, ()))
        if not (manifest := workplace.evidence.manifest(*key)):
            manifest = make_manifest(agent_version=key[0], evaluation_id=key[1])
            workplace.evidence.begin(manifest)
        return evaluation_outcome(workplace, manifest)

    return store
