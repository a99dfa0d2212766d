"""Reading Cypher text without parsing it: where statements end, which parameters and clauses they use.

Only strings, quoted names and comments are recognised: the server decides whether a statement is valid.
"""

import re

# An unclosed string or comment extends to the end of the text: it contains no code, and the server reports the error.
_TOKEN = re.compile(
    r"""
    (?P<comment>   // [^\r\n]* | /\* .*? (?: \*/ | \Z ) )
  | (?P<string>    ' (?: [^'\\] | \\. )*+ (?: ' | \\? \Z ) | " (?: [^"\\] | \\. )*+ (?: " | \\? \Z ) )
  | (?P<parameter> \$ \s* (?: (?P<plain> (?! (?i:any|all) \s* \( ) \w+ ) | ` (?P<quoted> (?: [^`] | `` )+ ) ` ) )
  | (?P<name>      ` (?: [^`] | `` )*+ (?: ` | \Z ) )
  | (?P<end>       ; )
    """,
    re.DOTALL | re.VERBOSE,
)

_BEYOND_THE_GRAPH = re.compile(
    r"""
    (?P<load>      LOAD \s+ CSV )
  | (?P<terminate> TERMINATE \s+ TRANSACTIONS? )
  | (?P<show>      SHOW \s+ TRANSACTIONS? )
  | (?P<server>    CALL \s+ dbms \s* \. )
  | (?P<database>  CALL \s+ db \s* \. \s* (?: checkpoint | clearQueryCaches | prepareForReplanning | resample\w*
      | stats ) \b )
  | (?P<library>   \b apoc \s* \. \s* (?: bolt | case | config | couchbase | custom | cypher | do | dv | es | export
      | diff | gephi | graph \s* \. \s* fromCypher | import | kafka | load | log | metrics | ml | model | mongo\w* | nlp
      | meta \s* \. \s* (?: data | graph ) \s* \. \s* of | periodic | redis | spatial | static | systemdb | trigger
      | vectordb | when ) \b )
  | (?P<models>    \b genai \s* \. \s* vector \s* \. \s* encode )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CLAUSES = {
    "load": "LOAD CSV", "terminate": "TERMINATE TRANSACTIONS", "show": "SHOW TRANSACTIONS", "server": "CALL dbms.…",
    "database": "a procedure of db.… that acts on the server", "models": "genai.vector.encode, which asks a model",
    "library": "a procedure of APOC that reaches beyond the graph",
}
_ONLY_LOOKS = re.compile(r"\s*(EXPLAIN|PROFILE)\b", re.IGNORECASE)
_USE = re.compile(r"(?<![.:$])\bUSE\b", re.IGNORECASE)
_ESCAPE = re.compile(r"\\u+([0-9a-fA-F]{4})")
_ESCAPED_LOAD = re.compile(r"LOAD.*CSV", re.IGNORECASE | re.DOTALL)
_IN_TRANSACTIONS = re.compile(r"\bIN\s+(\S+\s+)?(CONCURRENT\s+)?TRANSACTIONS\b", re.IGNORECASE)
_UPSERT = re.compile(r"\bON\s+(CREATE|MATCH)\s+SET\b", re.IGNORECASE)
_FINDS = re.compile(r"(?<![.:$])\bMATCH\b(?!\s*:)|\b(COUNT|EXISTS|COLLECT)\s*\{", re.IGNORECASE)
_ALTERS = re.compile(r"(?<![.:$])\b(DELETE|REMOVE|SET)\b(?!\s*:)", re.IGNORECASE)


def statements(script: str) -> list[str]:
    """The statements of a script in order, without their semicolons and outer white space.

    A piece with only comments and white space is no statement.
    """
    ends = [token.start() for token in _TOKEN.finditer(script) if token["end"]]
    starts = [0, *(end + 1 for end in ends)]
    pieces = [script[start:end] for start, end in zip(starts, [*ends, len(script)], strict=True)]
    return [piece.strip() for piece in pieces if _without_comments(piece).strip()]


def parameters_used(cypher: str) -> set[str]:
    """The names of the parameters (`$name`, `` $`any name` ``) that a query uses outside strings and comments.

    `$any(…)` and `$all(…)` are not parameters but Neo4j's syntax for dynamic labels.
    """
    found = (token for token in _TOKEN.finditer(cypher) if token["parameter"])
    return {token["plain"] or token["quoted"].replace("``", "`") for token in found}


def beyond_the_graph(cypher: str) -> str | None:
    """The name of a clause that acts on more than the graph, although the server treats it as reading; else None.

    LOAD CSV and parts of APOC access files and URLs with the server's own rights, or run another query; others act on
    the server, show the transactions of others, or end them.
    """
    decoded = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), cypher)
    if decoded != cypher and _ESCAPED_LOAD.search(decoded):
        return "LOAD CSV"  # Neo4j decodes before it recognises quotes and comments, so these prove nothing here
    found = _BEYOND_THE_GRAPH.search(_plain_code(cypher)) or _BEYOND_THE_GRAPH.search(_plain_code(decoded))
    return _CLAUSES[found.lastgroup or ""] if found else None


def query_problem(cypher: str) -> str | None:
    """Why an assertion's query is refused independently of the graph's content; None where it is not."""
    if clause := beyond_the_graph(cypher):
        return f"{clause} is not allowed in an assertion, which may only read the graph"
    if (number := len(statements(cypher))) != 1:
        return f"an assertion is one statement, and this is {number or 'none'}"
    return None


def only_looks(statement: str) -> bool:
    """Whether it is an EXPLAIN or a PROFILE, which shows how a statement is executed."""
    return bool(_ONLY_LOOKS.match(_without_comments(statement)))


def names_graph(cypher: str) -> bool:
    """Whether a USE clause names the database in which it is executed."""
    return bool(_USE.search(code(cypher)))


def commits_in_parts(cypher: str) -> bool:
    """Whether a statement has a CALL … IN TRANSACTIONS, which may be executed in part when it fails."""
    return bool(_IN_TRANSACTIONS.search(code(cypher)))


def looks_for(statement: str) -> bool:
    """Whether it searches the graph, with MATCH or a subquery; a MERGE alone does not."""
    return bool(_FINDS.search(_UPSERT.sub(" ", code(statement))))


def alters_what_it_finds(statement: str) -> bool:
    """Whether it searches the graph and also has DELETE, REMOVE or SET; `MERGE … ON MATCH SET` alone does not count."""
    return looks_for(statement) and bool(_ALTERS.search(_UPSERT.sub(" ", code(statement))))


def code(cypher: str, filler: str = " ") -> str:
    """The text without comments, and with the filler for each string and quoted name."""
    filled = {"comment": " ", "string": filler, "name": filler}
    return _TOKEN.sub(lambda token: filled.get(token.lastgroup or "", token[0]), cypher)


def _without_comments(cypher: str) -> str:
    return _TOKEN.sub(lambda token: " " if token["comment"] else token[0], cypher)


def _plain_code(cypher: str) -> str:
    """As `code`, but quoted names that need no quotes are kept, without them."""
    return _TOKEN.sub(lambda token: _unquoted(token["name"]) or " " if token["name"] else code(token[0]), cypher)


def _unquoted(name: str) -> str:
    inside = name.strip("`")
    return inside if inside.isidentifier() else ""
