import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.assertions.cypher_script import beyond_the_graph, commits_in_parts, parameters_used, statements


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("", []),
        (" ;; ; ", []),
        ("// nothing; at all\n/* and ; here */;", []),
        ("RETURN 1", ["RETURN 1"]),
        ("RETURN 1;\nRETURN 2;", ["RETURN 1", "RETURN 2"]),
        ("RETURN 'a;b'; RETURN 2", ["RETURN 'a;b'", "RETURN 2"]),
        ('RETURN "a;\'b"; RETURN 2', ['RETURN "a;\'b"', "RETURN 2"]),
        (r"RETURN 'it\'s; here'; RETURN 2", [r"RETURN 'it\'s; here'", "RETURN 2"]),
        (r"RETURN 'ends\\'; RETURN 2", [r"RETURN 'ends\\'", "RETURN 2"]),
        ("MATCH (`a;``b`) RETURN 1; RETURN 2", ["MATCH (`a;``b`) RETURN 1", "RETURN 2"]),
        ("RETURN `a\\`; RETURN 2", ["RETURN `a\\`", "RETURN 2"]),
        ("RETURN 1 // one; two\n; RETURN 2", ["RETURN 1 // one; two", "RETURN 2"]),
        ("RETURN 1 /* ; ' */; RETURN 2", ["RETURN 1 /* ; ' */", "RETURN 2"]),
        ("// it's a note\nRETURN 1; RETURN 2", ["// it's a note\nRETURN 1", "RETURN 2"]),
        ("RETURN 'http://x'; RETURN 2", ["RETURN 'http://x'", "RETURN 2"]),
        ("RETURN 4 / 2; RETURN 2", ["RETURN 4 / 2", "RETURN 2"]),
        ("RETURN '// no; comment'; RETURN 2", ["RETURN '// no; comment'", "RETURN 2"]),
        ("// one\r// two;\rRETURN 1", ["// one\r// two;\rRETURN 1"]),
        ("RETURN 'open; RETURN 2", ["RETURN 'open; RETURN 2"]),
        ("RETURN 'open\\", ["RETURN 'open\\"]),
    ],
)
def test_a_script_is_split_where_statements_end(script, expected):
    assert statements(script) == expected


pieces = st.sampled_from(
    [
        "RETURN 1",
        "'a;b'",
        r"'\';'",
        r'"\\"',
        "`x;``y`",
        "/* ; ' */",
        "/**/",
        "// ;'\n",
        "$p",
        "a / b",
        "\n",
        " ",
        "{n: 1}",
    ]
)


@given(st.lists(st.lists(pieces, min_size=1, max_size=5).map(" x ".join), min_size=1, max_size=5))
def test_joined_statements_come_apart_again(parts):
    assert statements(";".join(f"r {part}" for part in parts)) == [f"r {part}".strip() for part in parts]


@given(st.text(alphabet="aR;'\"`\\/* \n$"))
def test_splitting_loses_no_code_and_never_fails(script):
    found = statements(script)
    position = 0
    for statement in found:
        position = script.index(statement, position) + len(statement)
    assert all(statement.strip() == statement for statement in found)
    assert [again for statement in found for again in statements(statement)] == found


@given(st.text(alphabet="a\\;'", max_size=8))
def test_a_quoted_text_is_one_statement(text):
    quoted = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    assert statements(f"RETURN {quoted}; RETURN 1") == [f"RETURN {quoted}", "RETURN 1"]


@pytest.mark.parametrize(
    ("cypher", "expected"),
    [
        ("RETURN 1", set()),
        ("MATCH (u:User {id: $user}) WHERE u.at = $session RETURN $user", {"user", "session"}),
        ("RETURN $`agent version`, $`a``b`", {"agent version", "a`b"}),
        ("RETURN '$no', \"$no\", `$no` // $no\n/* $no */, $yes", {"yes"}),
        ("RETURN $ spaced, $0, $größe", {"spaced", "0", "größe"}),
        ("RETURN '$5' + $price", {"price"}),
        ("MATCH (n:$any($labels):$All (['A'])) RETURN $any, $allowed", {"labels", "any", "allowed"}),
    ],
)
def test_parameters_are_found_outside_strings_and_comments(cypher, expected):
    assert parameters_used(cypher) == expected


LOAD = "LOAD CSV FROM 'file:///etc/passwd' AS r RETURN r"


@pytest.mark.parametrize(
    ("cypher", "clause"),
    [
        (LOAD, "LOAD CSV"),
        ("load\n csv FROM $f AS r", "LOAD CSV"),
        ("LOAD/* */CSV FROM 'x'", "LOAD CSV"),
        ("WITH 1 AS `a`LOAD\x1cCSV FROM 'x'", "LOAD CSV"),
        (LOAD.replace("A", r"\u0041"), "LOAD CSV"),
        (LOAD.replace("A", r"\uu0041"), "LOAD CSV"),
        (rf"RETURN 1 AS r // \u000a UNION {LOAD}", "LOAD CSV"),
        ("RETURN 'lo\\u0061d\ncsv'", "LOAD CSV"),  # where there are escapes, quotes prove nothing
        (rf"WITH '\u0027 AS x {LOAD}", "LOAD CSV"),
        ("SHOW TRANSACTIONS YIELD transactionId AS t TERMINATE TRANSACTIONS t", "SHOW TRANSACTIONS"),
        ("show transaction 'x' yield currentQuery", "SHOW TRANSACTIONS"),
        ("terminate transaction 'x'", "TERMINATE TRANSACTIONS"),
        ("CALL dbms.killConnection('bolt-1')", "CALL dbms.…"),
        ("CALL `dbms` . `killConnection`('bolt-1')", "CALL dbms.…"),
        (r"CALL dbm\u0073.killConnection('bolt-1')", "CALL dbms.…"),
        ("CALL db.clearQueryCaches()", "db.…"),
        ("call db . `stats` . collect('QUERIES')", "db.…"),
        ("CALL db.prepareForReplanning(60)", "db.…"),
        ("CALL db.resampleOutdatedIndexes()", "db.…"),
        ("CALL db.checkpoint()", "db.…"),
        ("RETURN genai.vector.encode('x', 'OpenAI', {token: 'y'})", "genai"),
        ("CALL genai.vector.encodeBatch(['x'], 'OpenAI', {})", "genai"),
        ("CALL apoc.graph.fromCypher('LO' + 'AD CSV …', {}, 'g', {})", "APOC"),
        ("CALL apoc.meta.data.of('LO' + 'AD CSV …')", "APOC"),
        ("CALL apoc.diff.graphs('RETURN 1', 'RETURN 2', {})", "APOC"),
        ("CALL apoc.vectordb.chroma.get('http://127.0.0.1:9/', 'x', [])", "APOC"),
        ("RETURN apoc.static.get('key')", "APOC"),
        ("CALL apoc.load.json('file:///etc/passwd') YIELD value", "APOC"),
        ("RETURN apoc.`cypher`.runFirstColumnSingle('LO' + 'AD CSV …', {})", "APOC"),
    ],
)
def test_clauses_that_reach_beyond_the_graph_are_seen(cypher, clause):
    assert clause in (beyond_the_graph(cypher) or "nothing")


@pytest.mark.parametrize(
    "cypher",
    [
        "RETURN 'LOAD CSV'",
        "// LOAD CSV\nRETURN 1",
        "RETURN `LOAD CSV`",
        "RETURN load, csv",
        r"RETURN 'caf\u00e9'",
        "MATCH (d:dbms) RETURN d.killed",
        "CALL db.labels() YIELD label RETURN label",
        "CALL db.index.fulltext.queryNodes('names', 'a') YIELD node RETURN node",
        "CALL db.schema.visualization()",
        "CALL apoc.meta.schema() YIELD value RETURN apoc.meta.cypher.type(value)",
        "CALL apoc.graph.fromPaths([], 'g', {}) YIELD graph RETURN graph",
        "MATCH (db {stats: 1}), (genai) RETURN db.stats, genai.vector",
        "RETURN apoc.coll.sum([1, 2]), apoc.text.join(['a'], '')",
        "CALL apoc.path.subgraphNodes(n, {}) YIELD node RETURN count(node)",
    ],
)
def test_what_stays_in_the_graph_is_let_through(cypher):
    assert beyond_the_graph(cypher) is None


@pytest.mark.parametrize(
    "ending", ["IN TRANSACTIONS", "in 4 concurrent transactions of 10 ROWS", "IN $n CONCURRENT TRANSACTIONS"]
)
def test_statements_that_commit_in_parts_are_known(ending):
    assert commits_in_parts(f"UNWIND $rows AS r CALL (r) {{ CREATE (:X) }} {ending}")
    assert not commits_in_parts(f"RETURN '{ending}'")
