"""The JSON Schema of a job file, generated from the model: editors and loader agree, except on numbers as text."""

from typing import Any

from stoic_assets.core.jobs.job import Job


def job_json_schema() -> dict[str, Any]:
    """JSON Schema, draft 2020-12. Entries whose kind follows from a key (setups, seeds, assertions) become `oneOf`."""
    schema = Job.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Stoic Eval job"}
