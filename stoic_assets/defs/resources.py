"""The one resource: the project at work, a plain object that knows no Dagster."""

import dagster as dg

from stoic_assets.adapters.workplace import Workplace, open_workplace


class WorkplaceResource(dg.ConfigurableResource[Workplace]):
    """The project around the current folder. Making it reads settings and environment; nothing connects before use."""

    def create_resource(self, context: dg.InitResourceContext) -> Workplace:
        """Opened once a run."""
        return open_workplace()
