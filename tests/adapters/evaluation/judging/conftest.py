"""An evaluation of one job and the row of its trial."""

from collections.abc import Callable

import pytest
from judged_chat import TRIAL, chat

from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.conversation.rows import job_columns
from stoic_assets.core.evaluation.manifest import Manifest


@pytest.fixture
def manifest(make_manifest: Callable[..., Manifest]) -> Manifest:
    return make_manifest(jobs=(chat(),))


@pytest.fixture
def tables(workplace: Workplace, manifest: Manifest) -> EvaluationTables:
    found = EvaluationTables(workplace, manifest)
    found.write("trials", [TRIAL | job_columns(chat())])
    return found
