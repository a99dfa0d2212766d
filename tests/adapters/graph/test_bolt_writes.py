"""Setups and merges over Bolt, one by one and many at once."""

import asyncio

import pytest
from graph_failures import failure

from stoic_assets.adapters.graph import bolt_retries


def test_concurrent_merges_of_our_own_make_one_node(constrained):
    async def run() -> None:
        cypher = constrained.named("MERGE (a:L {n: $n}) SET a.seen = $i")
        await asyncio.gather(*(constrained.graph.write(cypher, {"n": 7, "i": i}) for i in range(30)))

    asyncio.run(run())
    assert constrained.rows("MATCH (a:L {n: 7}) RETURN count(a) AS n") == [{"n": 1}]


def test_concurrent_setups_may_be_the_first_to_use_a_label(subject):
    async def both(round_: int) -> None:
        script = subject.named(f"CREATE (:L_new_{round_}:L_also_{round_} {{n: 1}})")
        await asyncio.gather(*[subject.graph.run_script(script, {}, 30) for _ in range(6)])

    for round_ in range(5):
        asyncio.run(both(round_))
        assert subject.rows(f"MATCH (n:L_new_{round_}) RETURN count(n) AS count") == [{"count": 6}]


def test_concurrent_setups_may_merge_the_same_node(constrained):
    async def run() -> None:
        script = constrained.named("MERGE (a:L {n: $n}); MERGE (a:L {n: $n}) SET a.m = 1")
        await asyncio.gather(*(constrained.graph.run_script(script, {"n": 7}, 30) for _ in range(8)))

    asyncio.run(run())
    assert constrained.rows("MATCH (a:L) RETURN a.n AS n ORDER BY n") == [{"n": 1}, {"n": 7}]


@pytest.mark.parametrize(
    "script",
    [
        "CREATE INDEX new_L IF NOT EXISTS FOR (a:L) ON (a.m)",
        "CREATE CONSTRAINT new_L IF NOT EXISTS FOR (a:L) REQUIRE a.m IS UNIQUE",
    ],
)
def test_concurrent_setups_may_make_the_same_index(constrained, script):
    before = constrained.schema()

    async def run() -> None:
        await asyncio.gather(*(constrained.graph.run_script(constrained.named(script), {}, 30) for _ in range(8)))

    asyncio.run(run())
    assert set(constrained.schema()) - set(before)
    constrained.setup("DROP INDEX new_L" if "INDEX" in script else "DROP CONSTRAINT new_L")


def test_a_write_that_breaks_a_constraint_for_good_fails(constrained, monkeypatch):
    for limit in ("_WRITE_LIMIT", "_SETUP_LIMIT"):
        monkeypatch.setattr(bolt_retries, limit, bolt_retries.stop_after_attempt(2))
    cypher = constrained.named("CREATE (a:L {n: 1})")
    assert "Constraint" in failure(lambda: asyncio.run(constrained.graph.write(cypher)))
    assert "Constraint" in failure(lambda: constrained.setup("CREATE (a:L {n: 1})"))


def test_a_write_returns_its_rows(subject):
    rows = asyncio.run(subject.graph.write(subject.named("MERGE (a:L {n: $n}) RETURN a.n AS n"), {"n": 3}))
    assert rows == [{"n": 3}]
    assert subject.rows("MATCH (a:L) RETURN a.n AS n") == rows


def test_the_statements_of_a_script_run_in_order(subject):
    subject.setup(
        """
        // a name with a semicolon, ';'
        CREATE (:L {name: 'a;b', n: $n});
        MATCH (a:L) SET a.n = a.n + 1;
        UNWIND range(1, 3) AS i CALL (i) { CREATE (:L {n: i * 10}) } IN TRANSACTIONS OF 1 ROWS;
        """,
        n=1,
    )
    assert [row["n"] for row in subject.rows("MATCH (a:L) RETURN a.n AS n ORDER BY n")] == [2, 10, 20, 30]


def test_a_script_stops_at_its_first_error_and_counts_it(subject):
    complaint = failure(lambda: subject.setup("CREATE (:L {n: 1}); CREATE (:L {n: 1/0}); CREATE (:L {n: 3})"))
    assert complaint.startswith("statement 2 of 3: ")
    assert subject.rows("MATCH (a:L) RETURN a.n AS n") == [{"n": 1}]


def test_a_script_has_limited_time(subject):
    script = "RETURN 1; UNWIND range(1, 2000000) AS x UNWIND range(1, 60) AS y RETURN count(*)"

    async def connected_then_limited() -> None:  # connecting counts, and may alone take longer on a busy machine
        await subject.graph.ping()
        await subject.graph.run_script(script, {}, 1)

    complaint = failure(lambda: asyncio.run(connected_then_limited()))
    assert complaint.startswith("statement 2 of 2: ")
