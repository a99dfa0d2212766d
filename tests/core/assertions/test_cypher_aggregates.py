"""Which queries the embedded graph would answer otherwise than Neo4j; the servers are asked in `adapters`."""

import pytest

from stoic_assets.core.assertions.cypher_aggregates import overlooks_aggregate


@pytest.mark.parametrize(
    "projection",
    [
        "collect(n.error)[0] IS NULL",
        "max(n.a) is  not\nnull",
        "'x' IN collect(n.id)",
        "['x' IN collect(n.id)]",
        "[1 + x IN collect(n.id)]",
        "coalesce(x IN collect(n.id), false)",
        "NOT count(n) > 0",
        "count(n) > 0 AND true",
        "true OR count(*) > 0",
        "(count(n) > 0) XOR (true)",
        "head(collect(n.id)) STARTS WITH 'a'",
        "head(collect(n.id))ENDS WITH'a'",
        "head(collect(n.id)) CONTAINS 'a'",
        "head(collect(n.id)) =~ 'a.*'",
        "count(n) :: INTEGER",
        "count(n) IS :: INTEGER",
        "toString(collect(n.id)[0]) IS NORMALIZED",
        "1 IN [1] + collect(n.a) = true",
        "toString(max(n.a) IS NULL)",
        "[max(n.a) IS NULL, 1]",
        "{a: max(n.a) IS NULL}",
        "CASE WHEN max(n.a) IS NULL THEN 1 ELSE 2 END",
        "CASE WHEN true THEN count(n) ELSE 0 END > 1 AND true",
        "CASE WHEN CASE WHEN true THEN count(n) END IN [1] THEN 1 END",
        "any(x IN collect(n.a) WHERE x = 1) AND true",
        "NOT any(x IN collect(n.a) WHERE x = 1)",
        "reduce(s = 0, x IN collect(n.a) | s + x) IN [3]",
        "reduce(s = count(n) > 1 AND true, x IN [1] | s)",
        "[x IN collect(n.a) | x + 1] = [2, 3] OR false",
        "EXISTS { (:P) } AND count(n) > 0",
        "DISTINCT count(n) > 1 AND true",
        "count(n) AS c, count(n) > 1 AND true AS ok",
        "percentileCont(n.a, 0.5) IS NULL",
        "head(collect(n)).id",
        "coalesce(head(collect(n)).id, 'none')",
        "collect(n)[0] . id = 'a'",
        "{a: count(n)}.a",
        "duration.between(min(n.d), max(n.d)).days",
        "collect(n)[0]:P",
        "count /* all */ (n) > 0 AND $a",
    ],
)
@pytest.mark.parametrize("clause", ["RETURN", "with"])
def test_an_aggregate_beneath_an_operator_is_overlooked(projection: str, clause: str) -> None:
    assert overlooks_aggregate(f"MATCH (n:P) {clause} {projection}")


@pytest.mark.parametrize(
    "query",
    [
        "CALL { MATCH (n) RETURN count(n) > 1 AND true AS ok } RETURN ok",
        "RETURN EXISTS { MATCH (n) WITH max(n.a) IS NULL AS ok WHERE ok RETURN ok }",
        "RETURN COLLECT { MATCH (n) RETURN count(n) > 1 AND true }",
        "MATCH (n) RETURN count(n) > 1 AND true AS x UNION RETURN true AS x",
        "MATCH (n) RETURN count(n) > 1 AND true ORDER BY 1",
    ],
)
def test_it_is_overlooked_in_any_part_of_a_query(query: str) -> None:
    assert overlooks_aggregate(query)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) WHERE n.a IS NULL AND n.b IN [1] RETURN count(n)",
        "MATCH (n) WHERE NOT n.text STARTS WITH toLower('A') RETURN count(n) > 0",
        "MATCH (n) RETURN any(x IN collect(n.a) WHERE x = 1 OR x IN [2])",
        "MATCH (n) RETURN [x IN collect(n.a) WHERE x > 0 AND x IS NOT NULL | x IS NULL]",
        "MATCH (n) RETURN [ x IN collect(n.a)] = [1]",
        "MATCH (n) RETURN reduce(s = true, x IN collect(n.a) | s AND x > 0)",
        "MATCH (n) RETURN [y IN collect(n) WHERE y.a > 1 | y.id][0] = 'b'",
        "MATCH (n) RETURN head(collect(n))['id'], labels(head(collect(n)))[0] = 'P'",
        "MATCH (n) RETURN sum(CASE WHEN n.a IN [1] AND true THEN 1 ELSE 0 END) = 1",
        "MATCH (n) RETURN collect(n {.id, k: n.a IS NULL}), count(n.a IS NULL)",
        "MATCH (n) RETURN CASE WHEN count(n) > 1 THEN 1 IN [1] ELSE false END",
        "MATCH (n) RETURN CASE WHEN n.a IS NULL THEN 'x' ELSE 'y' END AS k, count(n)",
        "MATCH (n) RETURN n.id IN ['a'] AND n.a IS NULL AS k, count(n) AS contains ORDER BY k AND contains > 1",
        "MATCH (n) RETURN count(n) = 1 IS NOT NULL",
        "MATCH (n) RETURN (1 IN [1]) = (count(n) > 1)",
        "MATCH (n) RETURN count(n) > 1.5, size(collect(n)[0..1]), count(n) * .5",
        "MATCH (n) RETURN [count(n), 1 IN [1], {in: 1, not: 2}.in, $in, n.and]",
        "MATCH (n) RETURN count(n) + size('x AND count(n) IS NULL') // NOT count(n)",
        "MATCH (n) RETURN count(n) AS `AND`, count(n.`IS NULL`), count(n.in) AS not",
        "MATCH (n) WITH n.starts AS starts, n.ends AS ends RETURN starts, count(ends)",
        "MATCH (n) WITH n.id AS id, count(*) AS c WHERE c > 0 AND id STARTS WITH 'a' RETURN c IS NULL",
        "MATCH (n) WITH count(n) AS c, head(collect(n)) AS first RETURN c > 0 AND first.id IN ['a']",
        "MATCH (n) RETURN COUNT { MATCH (m) WHERE m.a IS NULL AND true } + count(n)",
        "MATCH (n) RETURN COUNT { (n)--() } > 0 AND EXISTS { (n)--(:P) }",
        "RETURN COLLECT { MATCH (m) WHERE m.a IS NOT NULL RETURN count(m) }[0] IN [1]",
        "MATCH (n) RETURN 'a' || toString(count(n))",
        "RETURN count(",
        ") RETURN count(n) ]",
        "",
    ],
)
def test_what_the_embedded_graph_gets_right_is_let_through(query: str) -> None:
    assert not overlooks_aggregate(query)
