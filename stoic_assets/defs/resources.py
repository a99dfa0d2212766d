"""The one resource: the open project, a plain object that knows nothing of Dagster."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import dagster as dg
from dagster._core.storage.tags import GRPC_INFO_TAG

from stoic_assets.adapters.process.runs_at_work import at_work
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.defs.run_progress import LoggedProgress


class WorkplaceResource(dg.ConfigurableResource[Workplace]):
    """The project around the current folder. Making it reads settings and environment; nothing connects before use."""

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[Workplace]:
        """Opened once a run, whose steps share one embedded graph server and the lock on their evaluation.

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
    """For the sensor `lost_runs`. Launchers other than Dagster's own monitor their runs themselves."""
    if run is None or GRPC_INFO_TAG not in run.tags:
        return nullcontext()
    return at_work(workplace.project.home, run.run_id)
