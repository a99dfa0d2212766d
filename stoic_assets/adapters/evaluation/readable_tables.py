"""Whether an evaluation can read all tables that it will need, checked before anything is paid."""

from collections.abc import Iterator

from stoic_assets.adapters.evaluation.version_comparison import base_version
from stoic_assets.adapters.warehouse.damaged_files import DamagedFile
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation import Manifest

_OF_ALL_VERSIONS = frozenset(
    {
        "virtue_trends", "measure_history", "evaluations", "trials", "judge_calibration", "judge_drift",
        "human_feedback_evaluations",
    }
)  # fmt: skip
"""Tables and models of which an evaluation reads the rows of other versions too."""


def refuse_damaged(workplace: Workplace, manifest: Manifest) -> None:
    """Raises `DamagedFile` if a file is damaged that this evaluation reads before it ends.

    A run asks before its conversations and again before its judging, and then reads only files that are new.
    """
    warehouse, whole = workplace.warehouse, workplace.whole_files
    for damage in needed_by_all(warehouse, whole):
        raise damage
    for version in filter(None, (manifest.agent_version, base_version(workplace, manifest))):
        for damage in warehouse.damaged(agent_version=version, whole=whole):
            raise damage


def needed_by_all(warehouse: Warehouse, whole: set[str] | None = None) -> Iterator[DamagedFile]:
    """The damaged files without which no version can be evaluated; `whole` as in `Warehouse.damaged`."""
    return warehouse.damaged(warehouse.models.with_inputs(_OF_ALL_VERSIONS), whole=whole)
