"""The port to the knowledge graph that the agent writes to."""

from collections.abc import Mapping
from typing import Any, Protocol


class SubjectGraph(Protocol):
    """Both calls raise `QueryError` for a faulty statement and `InfrastructureError` for a fault of the graph."""

    async def run_script(self, script: str, parameters: Mapping[str, Any], seconds: float) -> None:
        """Runs every statement of a script, in order, within `seconds` in all."""
        ...

    async def observe(
        self, cypher: str, parameters: Mapping[str, Any], seconds: float, max_rows: int
    ) -> list[dict[str, Any]]:
        """The rows of a query that cannot write, in JSON-safe form."""
        ...
