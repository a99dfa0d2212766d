"""The one dimension of the asset graph: versions of agents."""

import dagster as dg

from stoic_assets.core.stages import PARTITIONS

agent_versions = dg.DynamicPartitionsDefinition(name=PARTITIONS)
"""Partition keys have the form `agent@version`. Dagster accepts any text as a dynamic key, so `graph_setup` checks."""
