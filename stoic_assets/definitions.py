"""The entry point of the Dagster project."""

from stoic_assets.defs.assembly import build_definitions

defs = build_definitions()
