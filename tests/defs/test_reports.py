"""What Dagster shows of the reports: what can be read there, and how to come to the rest."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import dagster as dg
import pytest
from evaluation_heads import evaluation_head

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.presentation.drawing import WEAK as WEAK_COLOUR
from stoic_assets.core.table_repair import tables_at
from stoic_assets.defs.partitions import agent_versions
from stoic_assets.defs.reports import evaluation_reports, weak_virtue_reports

VERSION, EVALUATION = "marcus@1.0.0", "e1"
VIRTUE = {"agent": "marcus", "virtue": "wisdom", "score": 0.5, "confidence": 0.9, "trials": 1, "not_exercised": 0}
WEAK = {"virtue": "wisdom", "score": 0.5, "confidence": 0.9, "severity": 0.45, "trials": 1}


@pytest.fixture
def workplace(workplace: Workplace, make_manifest: Callable[..., Manifest]) -> Workplace:
    """One evaluation with a weak virtue."""
    manifest = make_manifest(evaluation_id=EVALUATION, agent_version=VERSION)
    workplace.evidence.begin(manifest)
    tables: dict[str, list[dict[str, Any]]] = {table: [] for table in tables_at("finished")} | {
        "evaluations": [evaluation_head(started_at=manifest.started_at)], "evaluation_virtues": [VIRTUE],
        "weak_virtues": [{**WEAK, "suggestions": ["Say less."]}],
    }  # fmt: skip
    for table, rows in tables.items():
        workplace.warehouse.write(table, VERSION, EVALUATION, rows)
    return workplace


def materialised(asset: dg.AssetsDefinition, workplace: Workplace) -> dict[str, dg.MetadataValue]:
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions(str(agent_versions.name), [VERSION])
        result = dg.materialize([asset], resources={"workplace": workplace}, instance=instance, partition_key=VERSION)
        [event] = result.get_asset_materialization_events()
    return dict(event.materialization.metadata)


def test_the_chart_of_weak_virtues_is_shown_beside_a_file_that_is_text(workplace: Workplace) -> None:
    metadata = materialised(weak_virtue_reports, workplace)
    title, picture, key, rest = str(metadata["report"].value).split("\n\n", 3)
    assert title == f"# Weak virtues of `{VERSION}`, evaluation {EVALUATION}"
    assert key == "Bar: score, orange and hatched where weak. Diamond: confidence."
    chart = base64.b64decode(picture.partition("base64,")[2].rstrip(")")).decode()
    assert ElementTree.fromstring(chart).tag.endswith("svg")
    assert ("<pattern" in chart, WEAK_COLOUR in chart) == (True, True)
    text = Path(str(metadata["path"].value)).read_text(encoding="utf-8")
    assert f"{title}\n\n{rest}" == text
    assert "- Say less." in text
    assert "data:" not in text


@pytest.mark.parametrize(
    ("score", "severities", "worst"), [(0.5, [0.45], 0.45), (0.9, [], 0.0), (None, [], None)]
)
def test_the_worst_severity_is_zero_only_where_a_virtue_was_scored(
    workplace: Workplace, score: float | None, severities: list[float], worst: float | None
) -> None:
    weak = [{**WEAK, "suggestions": [], "severity": severity} for severity in severities]
    workplace.warehouse.write("evaluation_virtues", VERSION, EVALUATION, [{**VIRTUE, "score": score}])
    workplace.warehouse.write("weak_virtues", VERSION, EVALUATION, weak)
    found = materialised(weak_virtue_reports, workplace).get("worst_severity")
    assert (found and found.value) == worst


def test_a_page_has_a_path_to_copy_since_browsers_follow_no_link_to_a_file(workplace: Workplace) -> None:
    metadata = materialised(evaluation_reports, workplace)
    assert isinstance(metadata["path"], dg.PathMetadataValue)
    assert Path(str(metadata["path"].value)).is_file()
    assert "copy the path" in str(metadata["to_open"].value)
    assert not any(isinstance(value, dg.UrlMetadataValue) for value in metadata.values())
