"""The one dimension of the asset graph: versions of agents."""

import dagster as dg

agent_versions = dg.DynamicPartitionsDefinition(name="agent_version")
"""Partition keys read `agent@version`. Dagster accepts any text as a dynamic key, so `graph_setup` checks it."""
