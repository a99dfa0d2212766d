"""Whether an evaluation can read all tables that it will need, checked before anything is paid."""

from collections.abc import Iterator

from stoic_assets.adapters.evaluation.version_comparison import base_version
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.manifest import Manifest

_OF_ALL_VERSIONS = frozenset(
    {
        "virtue_trends", "measure_history", "evaluations", "trials", "judge_calibration", "judge_drift",
        "human_feedback_evaluations",
    }
)  # fmt: skip
"""Tables and models of which an evaluation reads the rows of other versions too."""


def refuse_damaged(workplace: Workplace, manifest: Manifest) -> None:
    """Raises `DamagedFile` if a file is damaged that this evaluation reads before it ends.

    It is called before the conversations and again before the judging, which then reads only files that are new.
    """
    warehouse = workplace.warehouse
    warehouse.refuse_damaged(needed_by_all(warehouse))
    for version in filter(None, (manifest.agent_version, base_version(workplace, manifest))):
        warehouse.refuse_damaged(agent_version=version)


def needed_by_all(warehouse: Warehouse) -> Iterator[str]:
    """The tables and models without which no version can be evaluated."""
    return warehouse.models.with_inputs(_OF_ALL_VERSIONS)
