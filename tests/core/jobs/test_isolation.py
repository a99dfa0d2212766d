"""Trials that run side by side on Cypher that does not tell them apart."""

from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.jobs.isolation import isolation_doubt
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.slips import doubts

MakeJob = Callable[..., Job]
OWN = "u-{trial}"


def assertion(cypher: str, **keys: Any) -> dict[str, Any]:
    return {"cypher": cypher, "expected": 1, **keys}


OF_SESSION = assertion("MATCH (r:Reminder {session: $session}) RETURN count(r)")
CLEARS = {"cypher": "MATCH (n:Reminder) DETACH DELETE n"}


def test_a_job_of_own_users_that_never_names_them_is_told(make_job: MakeJob) -> None:
    counts = [assertion("MATCH (r:Reminder) RETURN count(r)"), assertion("MATCH (n) RETURN count(n)")]
    [told] = doubts([make_job(name="fine"), make_job(user=OWN, setups=[CLEARS], assertions=counts)], False)
    where = "setups[0], assertions[0].cypher, assertions[1].cypher"
    assert told == f"job job: its trials run side by side, but nothing in {where} tells them apart; use $user there"


def test_one_query_by_session_does_not_keep_the_trials_of_one_user_apart(make_job: MakeJob) -> None:
    clears = {"cypher": "MATCH (n:Reminder {user: $user}) DETACH DELETE n"}
    of_user = assertion("MATCH (r:Reminder {user: $user}) RETURN count(r)")
    [told] = doubts([make_job(setups=[{"cypher": "RETURN 1"}, clears], assertions=[OF_SESSION, of_user])], False)
    assert "nothing in setups[1], assertions[1].cypher tells them apart; use $session or $trial there, or put" in told
    assert isolation_doubt(make_job(setups=[clears], assertions=[of_user])) is None, "one at a time"
    assert isolation_doubt(make_job(user=OWN, setups=[clears], assertions=[OF_SESSION, of_user])) is None


@pytest.mark.parametrize("parameter", ["user", "session", "trial"])
def test_each_of_three_parameters_tells_trials_of_own_users_apart(make_job: MakeJob, parameter: str) -> None:
    setup = {"cypher": f"MATCH (n {{x: ${parameter}}}) SET n.y = 1"}
    query = f"MATCH (n {{x: ${parameter}}}) RETURN count(n)"
    assert isolation_doubt(make_job(user=OWN, setups=[setup], assertions=[assertion(query)])) is None
    constant = assertion(query, parameters={parameter: "ada"})
    told = isolation_doubt(make_job(user=OWN, assertions=[constant, assertion("RETURN $session IS NULL")]))
    assert told is not None
    assert "nothing in assertions[0].cypher tells" in told


@pytest.mark.parametrize(
    "cypher",
    [
        "CREATE INDEX by_user IF NOT EXISTS FOR (r:Reminder) ON (r.user)", "RETURN 1", "CREATE (:City {name: 'Oslo'})",
        "CREATE CONSTRAINT c IF NOT EXISTS FOR (r:Reminder) REQUIRE r.id IS UNIQUE; // MATCH (n) DELETE n",
        "MERGE (c:City {name: 'Oslo'}) ON CREATE SET c.size = 1 ON MATCH SET c.seen = true",
        "MATCH (a:City), (b:Land) MERGE (a)-[:IN]->(b)", "CREATE (:Note {text: 'MATCH (n) SET n.x = 1'})",
        "MATCH (a:City) MERGE (a)-[r:IN]->(:Land) ON CREATE SET r.new = true",
        "MATCH (n {user: $user}) DETACH DELETE n; MERGE (:City)", "MATCH (n:Set) MERGE (n)-[:x {remove: 1}]->(:Delete)",
    ],
)  # fmt: skip
def test_a_setup_that_alters_no_data_of_other_trials_is_no_doubt(make_job: MakeJob, cypher: str) -> None:
    assert isolation_doubt(make_job(user=OWN, setups=[{"cypher": cypher}])) is None


@pytest.mark.parametrize(
    "cypher",
    [
        "match (n) detach delete n", "MATCH (n:R) SET n.done = false", "MATCH (n:R) REMOVE n.done",
        "MATCH (n:R) DELETE n; CREATE (:R {user: $user})", "MERGE (:City); MATCH ()-[r]->() DELETE r",
    ],
)  # fmt: skip
def test_a_setup_that_alters_what_it_finds_anywhere_is_told(make_job: MakeJob, cypher: str) -> None:
    told = isolation_doubt(make_job(user=OWN, setups=[{"cypher": "RETURN $user"}, {"cypher": cypher}]))
    assert told is not None
    assert "nothing in setups[1] tells" in told


@pytest.mark.parametrize(
    ("query", "is_told"),
    [
        ("RETURN COUNT { (r:Reminder) }", True), ("RETURN EXISTS {(:Reminder)}", True), ("RETURN 1 = 1", False),
        ("RETURN COUNT { (r:Reminder {user: $user}) }", False), ("RETURN 'MATCH (n)' <> ''", False),
        ("OPTIONAL MATCH (r:Reminder) RETURN r.text", True), ("WITH {match: 1} AS m RETURN m.match", False),
    ],
)  # fmt: skip
def test_an_assertion_is_told_where_it_looks_for_data(make_job: MakeJob, query: str, is_told: bool) -> None:
    assert (isolation_doubt(make_job(user=OWN, assertions=[assertion(query)])) is not None) is is_told


def test_jobs_that_run_one_at_a_time_are_no_doubt(make_job: MakeJob) -> None:
    assert isolation_doubt(make_job(setups=[CLEARS], assertions=[assertion("MATCH (n) RETURN count(n)")])) is None
