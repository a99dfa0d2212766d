"""For programs that evolve an agent with GEPA: these names stay where they are when the modules behind them move."""

from stoic_assets.adapters.evaluation.publishing import gepa_batch
from stoic_assets.adapters.workplace import open_workplace
from stoic_assets.core.evolution.gepa import evaluation_batch, reflective_dataset

__all__ = ["evaluation_batch", "gepa_batch", "open_workplace", "reflective_dataset"]
