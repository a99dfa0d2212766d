"""Slips of a job's author, and doubts about a job whose trials are isolated."""

from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.job_entries import PARAMETERS
from stoic_assets.core.jobs.slips import doubts, isolation_doubt, slips

MakeJob = Callable[..., Job]
TASK = {"task": "Ask", "acceptanceCriteria": "Told"}
BLANK = "is blank; give it a text"
OWN = {"cypher": "RETURN $n + $m", "expected": 1, "parameters": {"n": 1}}
KNOWN = "known here are $user, $session, $trial, $agent_version"


@pytest.mark.parametrize("blank", ["", " ", "\n\u2003"])
@pytest.mark.parametrize(
    ("place", "keys"),
    [
        (("evaluator", "signoff"), lambda text: {"evaluator": {"signoff": text or " "}}),
        (("target", "user"), lambda text: {"target": {"user": text, "chatbot": "c"}}),
        (("target", "chatbot"), lambda text: {"target": {"user": "u", "chatbot": text}}),
        (("greetings", 1), lambda text: {"greetings": ["Hi", text]}),
        (("facts", 0), lambda text: {"facts": [text]}),
        (("tasks", 1, "task"), lambda text: {"tasks": [TASK, TASK | {"task": text}]}),
        (
            ("scenarios", 0, "input"),
            lambda text: {"tasks": [], "scenarios": [{"id": "s", "category": "c", "input": text or " "}]},
        ),
        (("setups", 0), lambda text: {"setups": [{"cypher": text}]}),
        (("assertions", 0, "cypher"), lambda text: {"assertions": [{"cypher": text, "expected": 1}]}),
        (("seeds", 0, "text"), lambda text: {"seeds": [{"text": text}]}),
        (
            ("seeds", 0, "conversation", 1, "content"),
            lambda text: {"seeds": [{"conversation": [{"role": "tool", "content": ""}, {"content": text}]}]},
        ),
    ],
)  # fmt: skip
def test_a_blank_text_that_somebody_would_be_told_is_refused_at_its_place(
    make_job: MakeJob, place: tuple[str | int, ...], keys: Callable[[str], dict[str, Any]], blank: str
) -> None:
    assert list(slips(make_job(**keys("words")))) == []
    assert list(slips(make_job(**keys(blank)))) == [(place, BLANK)]


@pytest.mark.parametrize(
    ("url", "problem"), [("ftp://agent", "not an http or https address such as"), ("http://me:pw@agent", "credentials")]
)
def test_an_address_that_no_agent_has_is_refused(make_job: MakeJob, url: str, problem: str) -> None:
    [(place, said)] = slips(make_job(target={"user": "u", "chatbot": "c", "url": url}))
    assert place == ("target", "url")
    assert problem in said


@pytest.mark.parametrize("messages", [[], [{"role": "assistant", "content": "Salve"}]])
def test_a_conversation_without_a_message_of_the_user_tells_nothing(make_job: MakeJob, messages: list[Any]) -> None:
    [(place, problem)] = slips(make_job(seeds=[{"text": "t"}, {"conversation": messages}]))
    assert place == ("seeds", 1, "conversation")
    assert problem == "only messages of the user are sent, and this seed has none"


@pytest.mark.parametrize(
    ("keys", "place", "problem"),
    [
        ({"setups": [{"cypher": "RETURN $usr, $user, $at"}]}, ("setups", 0), f"$at, $usr; {KNOWN}"),
        ({"assertions": [{"expression": "true"}, OWN]}, ("assertions", 1, "cypher"), f"$m; {KNOWN}, $n"),
    ],
)
def test_a_parameter_that_nobody_fills_is_refused(
    make_job: MakeJob, keys: dict[str, Any], place: tuple[str | int, ...], problem: str
) -> None:
    assert list(slips(make_job(**keys))) == [(place, f"unknown parameters: {problem}")]


@pytest.mark.parametrize(("value", "wrong"), [(2**63, 2**63), ({"a": [1, -(2**63) - 1]}, -(2**63) - 1)])
def test_a_whole_number_that_no_graph_can_hold_is_refused(make_job: MakeJob, value: Any, wrong: int) -> None:
    [(place, problem)] = slips(make_job(assertions=[OWN | {"cypher": "RETURN $n", "parameters": {"n": value}}]))
    assert place == ("assertions", 0, "parameters")
    assert problem.startswith(f"{wrong} is beyond the 64 bits")


def test_the_largest_whole_numbers_of_a_graph_may_be_parameters(make_job: MakeJob) -> None:
    own = OWN | {"cypher": "RETURN $n", "parameters": {"n": [2**63 - 1, -(2**63), True, 1e300]}}
    assert list(slips(make_job(assertions=[own]))) == []


def test_what_every_job_may_use_and_what_an_assertion_brings_along_is_known(make_job: MakeJob) -> None:
    all_four = "RETURN " + ", ".join(f"${name}" for name in PARAMETERS)
    own = {"cypher": f"{all_four}, $x // $none", "expected": 1, "parameters": {"x": 1}}
    assert list(slips(make_job(setups=[{"cypher": all_four}], assertions=[own]))) == []


@pytest.mark.parametrize(("tasks", "turns", "enough"), [(1, 2, 5), (2, 4, 7), (9, 18, 21), (10, 20, 23), (12, 20, 27)])
def test_more_tasks_than_the_user_can_put_are_told(make_job: MakeJob, tasks: int, turns: int, enough: int) -> None:
    job = make_job(name="long", tasks=[TASK] * tasks, maxTurns=turns)
    [told] = doubts([make_job(), job], False)
    assert told.startswith(f"job long: `maxTurns: {turns}` lets the user speak {job.room()} time")
    assert told.endswith(f"`maxTurns: {enough}` is enough for all")
    assert list(slips(job)) == []
    assert doubts([make_job(tasks=[TASK] * tasks, maxTurns=2 * tasks + 1)], False) == []


def test_scenarios_need_no_turns_of_the_user(make_job: MakeJob) -> None:
    assert doubts([make_job(maxTurns=1, scenarios=[{"id": "s", "category": "c", "input": "Hi"}])], False) == []


def test_blank_criteria_load_as_in_embabel_and_are_told(make_job: MakeJob) -> None:
    job = make_job(tasks=[TASK, TASK | {"acceptanceCriteria": " "}])
    assert list(slips(job)) == []
    why = "is blank, but the judge scores by nothing else"
    assert doubts([job], False) == [f"job job: `acceptanceCriteria` of task 2 {why}"]


@pytest.mark.parametrize(
    ("cypher", "problem"),
    [
        ("LOAD CSV FROM 'file:///x' AS r RETURN count(r)", "LOAD CSV is not allowed in an assertion"),
        ("RETURN 1; RETURN 2", "an assertion is one statement, and this is 2"),
        ("// later", "an assertion is one statement, and this is none"),
    ],
)
def test_a_query_that_is_refused_in_every_trial_is_refused_before_them(
    make_job: MakeJob, cypher: str, problem: str
) -> None:
    [(place, told)] = slips(make_job(assertions=[{"expression": "true"}, {"cypher": cypher, "expected": 1}]))
    assert place == ("assertions", 1, "cypher")
    assert told.startswith(problem)
    assert list(slips(make_job(setups=[{"cypher": cypher}]))) == []
    assert list(slips(make_job(assertions=[{"cypher": "RETURN 1; // done", "expected": 1}]))) == []


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("evaluation.events.count { it.x == 1 }", "a Number"), ("evaluation.events.first()", "an Object"),
        ("null", "null"),
    ],
)  # fmt: skip
def test_an_expression_that_is_never_true_is_refused(make_job: MakeJob, expression: str, value: str) -> None:
    [(place, told)] = slips(make_job(assertions=[{"expression": expression}]))
    assert place == ("assertions", 0, "expression")
    assert told == f"what must be true or false here is always {value}; compare it with something"


def test_a_member_that_no_function_call_has_is_refused(make_job: MakeJob) -> None:
    """An agent that calls nothing would pass, and one that acts would fail."""
    [(place, told)] = slips(make_job(assertions=[{"expression": 'evaluation.functionCalls.none { it.name == "x" }'}]))
    assert place == ("assertions", 0, "expression")
    assert told == "nothing there ever has a member `name`; there are `function`, `args`"


def test_what_the_embedded_graph_would_get_wrong_is_told_where_it_is_used(make_job: MakeJob) -> None:
    wrong, right = "MATCH (n) RETURN max(n.a) IS NULL", "MATCH (n) WITH max(n.a) AS a RETURN a IS NULL"
    job = make_job(
        setups=[{"cypher": right}, {"cypher": f"{wrong} AS x; {right}"}],
        assertions=[{"cypher": wrong, "expected": True}, {"cypher": right, "expected": True}],
    )
    [told] = doubts([make_job(), job], subject_is_embedded=True)
    assert told.startswith("job job: setups[1], assertions[0].cypher: the embedded graph answers wrongly")
    assert doubts([job], subject_is_embedded=False) == []
    assert list(slips(job)) == []


OWN_USER = "u-{trial}"


def assertion(cypher: str, **keys: Any) -> dict[str, Any]:
    return {"cypher": cypher, "expected": 1, **keys}


OF_SESSION = assertion("MATCH (r:Reminder {session: $session}) RETURN count(r)")
CLEARS = {"cypher": "MATCH (n:Reminder) DETACH DELETE n"}


def test_a_job_of_own_users_that_never_names_them_is_told(make_job: MakeJob) -> None:
    counts = [assertion("MATCH (r:Reminder) RETURN count(r)"), assertion("MATCH (n) RETURN count(n)")]
    [told] = doubts([make_job(name="fine"), make_job(user=OWN_USER, setups=[CLEARS], assertions=counts)], False)
    where = "setups[0], assertions[0].cypher, assertions[1].cypher"
    assert told == f"job job: its trials run side by side, but nothing in {where} tells them apart; use $user there"


def test_one_query_by_session_does_not_keep_the_trials_of_one_user_apart(make_job: MakeJob) -> None:
    clears = {"cypher": "MATCH (n:Reminder {user: $user}) DETACH DELETE n"}
    of_user = assertion("MATCH (r:Reminder {user: $user}) RETURN count(r)")
    [told] = doubts([make_job(setups=[{"cypher": "RETURN 1"}, clears], assertions=[OF_SESSION, of_user])], False)
    assert "nothing in setups[1], assertions[1].cypher tells them apart; use $session or $trial there, or put" in told
    assert isolation_doubt(make_job(setups=[clears], assertions=[of_user])) is None, "one at a time"
    assert isolation_doubt(make_job(user=OWN_USER, setups=[clears], assertions=[OF_SESSION, of_user])) is None


@pytest.mark.parametrize("parameter", ["user", "session", "trial"])
def test_each_of_three_parameters_tells_trials_of_own_users_apart(make_job: MakeJob, parameter: str) -> None:
    setup = {"cypher": f"MATCH (n {{x: ${parameter}}}) SET n.y = 1"}
    query = f"MATCH (n {{x: ${parameter}}}) RETURN count(n)"
    assert isolation_doubt(make_job(user=OWN_USER, setups=[setup], assertions=[assertion(query)])) is None
    constant = assertion(query, parameters={parameter: "ada"})
    told = isolation_doubt(make_job(user=OWN_USER, assertions=[constant, assertion("RETURN $session IS NULL")]))
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
    assert isolation_doubt(make_job(user=OWN_USER, setups=[{"cypher": cypher}])) is None


@pytest.mark.parametrize(
    "cypher",
    [
        "match (n) detach delete n", "MATCH (n:R) SET n.done = false", "MATCH (n:R) REMOVE n.done",
        "MATCH (n:R) DELETE n; CREATE (:R {user: $user})", "MERGE (:City); MATCH ()-[r]->() DELETE r",
    ],
)  # fmt: skip
def test_a_setup_that_alters_what_it_finds_anywhere_is_told(make_job: MakeJob, cypher: str) -> None:
    told = isolation_doubt(make_job(user=OWN_USER, setups=[{"cypher": "RETURN $user"}, {"cypher": cypher}]))
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
    assert (isolation_doubt(make_job(user=OWN_USER, assertions=[assertion(query)])) is not None) is is_told


def test_jobs_that_run_one_at_a_time_are_no_doubt(make_job: MakeJob) -> None:
    assert isolation_doubt(make_job(setups=[CLEARS], assertions=[assertion("MATCH (n) RETURN count(n)")])) is None
