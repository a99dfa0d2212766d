import asyncio

from stoic_assets.adapters.evaluation.query_check import refused_queries
from stoic_assets.core.jobs.job import Job

ASKED = {"user": "u", "chatbot": "c"}


def test_each_query_that_the_graph_refuses_is_named_with_its_place(subject):
    counted = {"expected": 1}
    job = Job.model_validate(
        {
            "name": "chat", "target": ASKED, "tasks": [{"task": "t", "acceptanceCriteria": "a"}],
            "assertions": [
                {"expression": "evaluation.transcript.isNotEmpty()"},
                {"cypher": "MATCH (n {user: $user}) RETURN count(n) AS c", **counted},
                {"cypher": "MATCH (n {user: $user} RETURN count(n) AS c", **counted},
                {"cypher": "MATCH (n) RETURN count(m) AS c", **counted},
            ],
        }
    )  # fmt: skip
    wrong, unknown = asyncio.run(refused_queries([job, job.model_copy(update={"assertions": ()})], subject.graph))
    assert wrong.startswith("job chat: assertions[2].cypher: ")
    assert "SyntaxError" in wrong
    assert unknown.startswith("job chat: assertions[3].cypher: ")
    assert "not defined" in unknown
