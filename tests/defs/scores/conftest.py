"""One judged trial, and an instance that knows its version."""

from collections.abc import Callable, Iterator

import dagster as dg
import pytest
from evaluation_heads import evaluation_head
from judged_trial import CHECK, EVALUATION, KEY, STARTED, TRIAL, VERDICT, VERSION

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.defs.partitions import agent_versions


@pytest.fixture
def workplace(workplace: Workplace, make_manifest: Callable[..., Manifest]) -> Workplace:
    """One judged trial."""
    workplace.evidence.begin(make_manifest(evaluation_id=EVALUATION, agent_version=VERSION, started_at=STARTED))
    tables = {
        "evaluations": [evaluation_head(started_at=STARTED)], "trials": [TRIAL], "virtue_scores": [VERDICT],
        "task_scores": [], "tone_scores": [], "assertion_results": [CHECK],
    }  # fmt: skip
    for table, rows in tables.items():
        workplace.warehouse.write(table, *KEY, rows)
    return workplace


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions(str(agent_versions.name), [VERSION])
        yield instance
