"""What tests of nights share."""

from collections.abc import Callable, Iterator
from typing import Any

import dagster as dg
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from schedules import Schedules
from watched_nights import Watch

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.settings import Nightly
from stoic_assets.core.stages import EVALUATION
from stoic_assets.defs.maintenance import compaction
from stoic_assets.defs.nightly import build_nightly
from stoic_assets.defs.partitions import agent_versions
from stoic_assets.defs.releases import release_evaluation


@pytest.fixture(scope="session", autouse=True)
def revisions_are_read_once() -> Iterator[None]:
    """For each new instance Dagster reads all revisions that its tables ever had, which takes half of the making."""
    read, anew = dict[str | None, ScriptDirectory](), ScriptDirectory.from_config

    def known(config: Config) -> ScriptDirectory:
        place = config.get_main_option("script_location")
        if place not in read:
            read[place] = anew(config)
        return read[place]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ScriptDirectory, "from_config", known)
        yield


def stand_in(name: str) -> dg.AssetsDefinition:
    @dg.asset(name=name, partitions_def=None if name in ("job_configs", "judge_drift", "compact") else agent_versions)
    def materialise() -> None: ...

    return materialise


@pytest.fixture(scope="session")
def definitions_of_no_night() -> dg.Definitions:
    """What nights ask for: assets that do nothing, and the jobs of them."""
    return dg.Definitions(
        assets=[stand_in(name) for name in (*EVALUATION, "judge_drift", "compact")],
        jobs=[release_evaluation, compaction],
        resources={"workplace": "each test has its own"},
    )


@pytest.fixture(scope="session")
def definitions(definitions_of_no_night: dg.Definitions) -> dg.Definitions:
    """Those, and nights in Berlin."""
    nights = build_nightly(Nightly(cron="0 2 * * *", time_zone="Europe/Berlin", since="2026-11-01"))
    return dg.Definitions.merge(definitions_of_no_night, nights)


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    """One that knows two versions."""
    with dg.DagsterInstance.ephemeral() as opened:
        opened.add_dynamic_partitions("agent_version", ["marcus@1.0.0", "marcus@1.1.0"])
        yield opened


@pytest.fixture(autouse=True)
def schedules(instance: dg.DagsterInstance) -> Schedules:
    """What the instance records of schedules: nothing yet."""
    return Schedules(instance)


@pytest.fixture
def told(workplace: Workplace, waiting: Callable[..., list[dict[str, Any]]]) -> Callable[[], list[dict[str, Any]]]:
    """The events that wait for a webhook."""
    return lambda: waiting(workplace)


@pytest.fixture
def watch(workplace: Workplace, instance: dg.DagsterInstance, definitions: dg.Definitions) -> Watch:
    return Watch(workplace, instance, definitions)
