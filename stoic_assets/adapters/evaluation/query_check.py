"""Whether the subject graph understands the Cypher of a project's assertions, found out before any conversation."""

from collections.abc import Iterable

from stoic_assets.adapters.graph.bolt import Graph
from stoic_assets.core.errors import QueryError
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import CypherAssertion
from stoic_assets.core.text.documents import dotted


async def refused_queries(jobs: Iterable[Job], graph: Graph) -> list[str]:
    """A sentence for each query that the graph would refuse in every trial, with its job and its place there."""
    refused = []
    for job in jobs:
        for number, assertion in enumerate(job.assertions):
            if isinstance(assertion, CypherAssertion):
                try:
                    await graph.explain(assertion.cypher)
                except QueryError as fault:
                    refused.append(f"job {job.name}: {dotted(('assertions', number, 'cypher'))}: {fault}")
    return refused
