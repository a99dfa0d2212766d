"""Evaluations on a real disk."""

from pathlib import Path
from typing import Any

import pytest
from evidence import VERSION, Make

from stoic_assets.adapters.disk.evidence_store import EvidenceStore
from stoic_assets.core.evaluation.manifest import Manifest


@pytest.fixture
def manifest(make_manifest: Make) -> Make:
    """That of evaluation E1 unless told otherwise."""

    def make(evaluation_id: str = "E1", **fields: Any) -> Manifest:
        return make_manifest(evaluation_id=evaluation_id, agent_version=VERSION, **fields)

    return make


@pytest.fixture
def store(tmp_path: Path) -> EvidenceStore:
    return EvidenceStore(tmp_path)
