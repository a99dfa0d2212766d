"""The one resource: the project at work, a plain object that knows no Dagster."""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from stoic_assets.adapters.workplace import Workplace, open_workplace


class WorkplaceResource(dg.ConfigurableResource[Workplace]):
    """The project around the current folder. Making it reads settings and environment; nothing connects before use."""

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[Workplace]:
        """Opened once a run, whose steps share one embedded graph server and the lock on their evaluation.

        The run's process is Dagster's or ours.
        """
        from stoic_assets.defs.event_log import keep_event_log

        if context.instance is not None:
            keep_event_log(context.instance)
        workplace = open_workplace()
        with workplace.graph_use.kept(), workplace.evidence.locked_by_run():
            yield workplace
