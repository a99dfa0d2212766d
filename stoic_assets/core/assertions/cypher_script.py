"""Reading Cypher text without parsing it: where statements end, which parameters and clauses they use.

Strings, quoted names and comments are recognised, nothing else: whether a statement is valid, the server says.
"""

import re

# What is never closed runs to the end of the text: nothing in it is code, and the server will say what is wrong.
_TOKEN = re.compile(
    r"""
    (?P<comment>   // [^\r\n]* | /\* .*? (?: \*/ | \Z ) )
  | (?P<string>    ' (?: [^'\\] | \\. )*+ (?: ' | \\? \Z ) | " (?: [^"\\] | \\. )*+ (?: " | \\? \Z ) )
  | (?P<parameter> \$ \s* (?: (?P<plain> \w+ ) | ` (?P<quoted> (?: [^`] | `` )+ ) ` ) )
  | (?P<name>      ` (?: [^`] | `` )*+ (?: ` | \Z ) )
  | (?P<end>       ; )
    """,
    re.DOTALL | re.VERBOSE,
)

_LOAD_CSV = re.compile(r"\bLOAD\s+CSV\b", re.IGNORECASE)
_IN_TRANSACTIONS = re.compile(r"\bIN\s+(\S+\s+)?(CONCURRENT\s+)?TRANSACTIONS\b", re.IGNORECASE)


def statements(script: str) -> list[str]:
    """The statements of a script in order, without their semicolons and outer white space.

    A piece that holds only comments and white space is no statement.
    """
    ends = [token.start() for token in _TOKEN.finditer(script) if token["end"]]
    starts = [0, *(end + 1 for end in ends)]
    pieces = [script[start:end] for start, end in zip(starts, [*ends, len(script)], strict=True)]
    return [piece.strip() for piece in pieces if _without_comments(piece).strip()]


def parameters_used(cypher: str) -> set[str]:
    """The names of the parameters (`$name`, `` $`any name` ``) that a query uses outside strings and comments."""
    found = (token for token in _TOKEN.finditer(cypher) if token["parameter"])
    return {token["plain"] or token["quoted"].replace("``", "`") for token in found}


def reads_files(cypher: str) -> bool:
    """Whether a query has a LOAD CSV, which fetches files and URLs with the rights of the graph server."""
    return bool(_LOAD_CSV.search(_code(cypher)))


def commits_in_parts(cypher: str) -> bool:
    """Whether a statement has a CALL … IN TRANSACTIONS, of which a part may stay when it fails."""
    return bool(_IN_TRANSACTIONS.search(_code(cypher)))


def _without_comments(cypher: str) -> str:
    return _TOKEN.sub(lambda token: " " if token["comment"] else token[0], cypher)


def _code(cypher: str) -> str:
    """The text with a blank for each comment, string and quoted name."""
    return _TOKEN.sub(lambda token: " " if token["comment"] or token["string"] or token["name"] else token[0], cypher)
