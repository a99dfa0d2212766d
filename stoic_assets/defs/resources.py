"""The one resource: the open project, a plain object that knows nothing of Dagster, and its progress in a log."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import dagster as dg
from dagster._core.storage.tags import GRPC_INFO_TAG

from stoic_assets.adapters.process.runs_at_work import at_work
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.core.progress import Progress, StageLines
from stoic_assets.core.stages import WORKER_TAG


class LoggedProgress(Progress):
    """Writes how many trials of a stage are done, now and then and at its end, and what is worth knowing."""

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log, self._stages = log, StageLines(log, time.monotonic)

    def begin(self, stage: str, total: int) -> None:
        """A stage of `total` trials starts."""
        self._stages.begin(stage, total)

    def advance(self, stage: str) -> None:
        """One trial of a stage is done."""
        self._stages.advance(stage)

    def note(self, message: str) -> None:
        """Writes something worth knowing that is not a result."""
        self._log(self._clean(message))


class WorkplaceResource(dg.ConfigurableResource[Workplace]):
    """The project around the current folder. Making it reads settings and environment; nothing connects before use."""

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[Workplace]:
        """The workplace of a run, whose steps share one embedded graph server and the lock on their evaluation.

        The run's process is Dagster's or a command's.
        """
        from stoic_assets.defs.event_log import keep_event_log

        if context.instance is not None:
            keep_event_log(context.instance)
        workplace = open_workplace(progress=LoggedProgress(context.log.info) if context.log else None)
        workplace.warehouse.refuse_misread_folder()  # before anything is paid for
        with _at_work(workplace, context.run), workplace.graph_use.kept(), workplace.evidence.locked_by_run():
            yield workplace


def _at_work(workplace: Workplace, run: dg.DagsterRun | None) -> AbstractContextManager[None]:
    """Marks the run as active where our sensor `lost_runs` or our launcher looks; others monitor runs themselves."""
    if run is None or not run.tags.keys() & {GRPC_INFO_TAG, WORKER_TAG}:
        return nullcontext()
    return at_work(workplace.project.home, run.run_id)
