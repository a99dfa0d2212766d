"""Queries that use an aggregate in a way that the embedded graph evaluates wrongly.

As an operand of a Boolean operator, `IN`, `IS NULL`, `CONTAINS` and the like, and before `.property` or `:Label`, that
server overlooks an aggregate: it answers row by row. In arithmetic, comparisons, functions and brackets it does not.
"""

import re
from collections.abc import Iterator

from stoic_assets.core.assertions.cypher_script import code

OVERLOOKED = (
    "the embedded graph answers wrongly where AND, OR, NOT, IN, IS NULL, CONTAINS, a property or the like is applied "
    "to an aggregate: compute it first, as in WITH count(n) AS c RETURN c > 0 AND …"
)
"""The message about a query of which `overlooks_aggregate` is true."""

# The text is reduced to signs: `#` is an operand without an aggregate, `@` one with an aggregate, `~` an operator that
# binds closer than a comparison. Properties, aliases and keys are removed, since they may look like keywords.
_ALIKE = [
    (re.compile(pattern, re.IGNORECASE), sign)
    for pattern, sign in [
        (r"\$\s*(\w+|`[^`]*`)", "#"),
        (r"(?<!\.)\.\s*[\w#]+", " . "),
        (r"\bAS\s+[\w#]+", " "),
        (r"(?<![\w#])[\w#]+\s*:(?!:)", " : "),
        (r"\b(STARTS|ENDS)\s+WITH\b", " ~ "),
        (r"\bIS\s+(NOT\s+)?(?=NULL\b|TYPED\b|NORMALIZED\b|NFK?[CD]\b|::)", " ~ "),
        (r"(?<=[\w#)\]}])\s*\bCONTAINS\b(?=\s*[\w#(\[{])", " ~ "),
        (r"=~|::", " ~ "),
        (r"\|\|", " + "),
    ]
]
_BRACKET = re.compile(r"([()\[\]{}])")
_CALLED = re.compile(r"\b\w+(?=\s*$)")
_AGGREGATE = re.compile(r"(avg|collect|count|max|min|percentile(cont|disc)|stdevp?|sum)\(", re.IGNORECASE)
_COMPREHENSION = re.compile(r"\w*\[|(all|any|none|reduce|single)\(", re.IGNORECASE)
_EACH = re.compile(r"^\s*\w+\s+IN\b", re.IGNORECASE)

_CLAUSE = re.compile(
    r"\b(RETURN|WITH|WHERE|ORDER|SKIP|OFFSET|LIMIT|MATCH|OPTIONAL|UNWIND|CALL|UNION|CREATE|MERGE|SET|DELETE|DETACH"
    r"|REMOVE|FOREACH|LOAD|USE|YIELD|FINISH)\b",
    re.IGNORECASE,
)
_CASE = re.compile(r"\bCASE\b(?:(?!\bCASE\b|\bEND\b).)*\bEND\b", re.IGNORECASE | re.DOTALL)
_BETWEEN = re.compile(r"[,|]|\b(?:CASE|WHEN|THEN|ELSE|END|WHERE|DISTINCT)\b", re.IGNORECASE)
_MEMBER = re.compile(r"@[@#\s]*(\.(?!\.)|:)")
_BOOLEAN = re.compile(r"\b(AND|OR|XOR|NOT)\b", re.IGNORECASE)
_COMPARISON = re.compile(r"[<>=]+")
_CLOSE = re.compile(r"~|\bIN\b", re.IGNORECASE)


def overlooks_aggregate(cypher: str) -> bool:
    """Whether the embedded graph would overlook an aggregate of this query, and answer differently from Neo4j."""
    text = code(cypher, "#")
    for pattern, sign in _ALIKE:
        text = pattern.sub(sign, text)
    return any(_is_beneath(expression) for expression in _every_expression(text))


def _every_expression(text: str) -> Iterator[str]:
    """The expressions of RETURN and WITH and of their brackets; around a bracket, a sign replaces it."""
    *pieces, end = _BRACKET.split(text)
    opened: list[str] = []
    texts = [""]
    for before, bracket in zip(pieces[::2], pieces[1::2], strict=True):
        texts[-1] += before
        if bracket in "([{":
            opened.append("".join(_CALLED.findall(before)) + bracket)
            texts.append("")
        elif opened:
            bracket, inside = opened.pop(), texts.pop()
            yield from _within(bracket, inside)
            texts[-1] += _sign(bracket, inside)
    yield from _projected(texts[0] + end)


def _within(bracket: str, inside: str) -> list[str]:
    if _is_subquery(bracket, inside):
        return _projected(inside)
    return _expressions(inside, is_comprehension=bool(_COMPREHENSION.fullmatch(bracket)))


def _sign(bracket: str, inside: str) -> str:
    if _AGGREGATE.fullmatch(bracket):
        return "@"
    return "@" if "@" in inside and not _is_subquery(bracket, inside) else "#"


def _is_subquery(bracket: str, inside: str) -> bool:
    return bracket.endswith("{") and bool(_CLAUSE.search(inside))


def _projected(clauses: str) -> list[str]:
    """The expressions of RETURN and WITH: no other clause may contain an aggregate."""
    _, *parts = _CLAUSE.split(clauses)
    texts = [text for word, text in zip(parts[::2], parts[1::2], strict=True) if word.upper() in ("RETURN", "WITH")]
    return [expression for text in texts for expression in _expressions(text)]


def _expressions(text: str, is_comprehension: bool = False) -> list[str]:
    """The expressions in a text without brackets, those of a CASE too; `x IN` of a comprehension is no operator."""
    found = []
    while case := _CASE.search(text):
        found += _BETWEEN.split(case[0])
        text = f"{text[:case.start()]} {'@' if '@' in case[0] else '#'} {text[case.end():]}"
    outer = _BETWEEN.split(text)
    return found + ([_EACH.sub("", each, count=1) for each in outer] if is_comprehension else outer)


def _is_beneath(expression: str) -> bool:
    """Whether an aggregate in it is an operand of one of the operators."""
    if "@" not in expression:
        return False
    close = any("@" in side and _CLOSE.search(side) for side in _COMPARISON.split(expression))
    return close or bool(_MEMBER.search(expression) or _BOOLEAN.search(expression))
