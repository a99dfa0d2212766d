"""Any tree, written with Kotlin's precedence, is read back as it was."""

from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.assertions.kotlin.expression import (
    Binary,
    Call,
    Expression,
    Index,
    Lambda,
    ListOf,
    Literal,
    Member,
    Name,
    Template,
    Unary,
)
from stoic_assets.core.assertions.kotlin.kinds import kind_of
from stoic_assets.core.assertions.kotlin.syntax import parse_expression

CONTEXT = Name("objectContext")
LEVELS = (
    ("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="), ("in", "!in"), ("?:",), ("..",),
    ("+", "-"), ("*", "/", "%"),
)  # fmt: skip
LEVEL = {operator: level for level, operators in enumerate(LEVELS) for operator in operators}
PREFIX, POSTFIX = 9, 10
WORDS = st.sampled_from(("name", "labels", "size"))
TEXTS = st.text(st.sampled_from('a "\\$\n\té😀{}/'), max_size=6)
LEAVES = st.one_of(
    st.sampled_from((Name("evaluation"), CONTEXT, Literal(True), Literal(None))),
    st.integers(0, 2**63 - 1).map(Literal),
    st.floats(0, 1e300).map(Literal),
    TEXTS.map(Literal),
)


def has_any_member(expression: Expression) -> bool:
    return not isinstance(expression, Name) and kind_of(expression) not in ("List", "String")


def branches(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    block = st.builds(Lambda, st.sampled_from(("it", "x")), inner)
    return st.one_of(
        st.builds(Binary, st.sampled_from([sign for sign in LEVEL if sign != ".."]), inner, inner),
        st.builds(Binary, st.sampled_from(("in", "!in")), inner, st.builds(Binary, st.just(".."), inner, inner)),
        st.builds(Unary, st.sampled_from(("!", "-", "!!")), inner),
        st.lists(inner, max_size=3).map(lambda items: ListOf(tuple(items))),
        st.builds(Member, inner.filter(has_any_member), WORDS, st.booleans()),
        st.builds(Index, inner, inner),
        st.builds(Call, inner, st.sampled_from(("any", "first")), st.none() | block, st.booleans()),
        st.builds(Call, inner, st.just("contains"), inner, st.booleans(), st.booleans()),
        st.lists(inner.filter(lambda e: not isinstance(e, Literal)), min_size=1, max_size=3).map(
            lambda parts: Template((Literal("a"), *parts))
        ),
    )


def written(expression: Expression, least: int = 0) -> str:
    """The expression as Kotlin, with as few parentheses as Kotlin's table of precedence allows."""
    text, level = kotlin(expression)
    return text if level >= least else f"({text})"


def kotlin(expression: Expression) -> tuple[str, int]:
    match expression:
        case Literal(str() as value):
            return quoted(value), POSTFIX
        case Literal(value):
            return {True: "true", None: "null"}[value] if value is None or value is True else repr(value), POSTFIX
        case Name(name):
            return name, POSTFIX
        case Template(parts):
            inside = (p.value if isinstance(p, Literal) else f"${{{written(p)}}}" for p in parts)
            return f'"{"".join(map(str, inside))}"', POSTFIX
        case Member(receiver, name, safe):
            return f"{written(receiver, POSTFIX)}{'?.' if safe else '.'}{name}", POSTFIX
        case Index(receiver, key):
            return f"{written(receiver, POSTFIX)}[{written(key)}]", POSTFIX
        case ListOf(items):
            return f"listOf({', '.join(map(written, items))})", POSTFIX
        case Call(receiver, function, argument, safe, ignore_case):
            called = f"{written(receiver, POSTFIX)}{'?.' if safe else '.'}{function}"
            return called + arguments(argument, ", ignoreCase = true" * ignore_case), POSTFIX
        case Unary("!!", operand):
            return f"{written(operand, POSTFIX)}!!", POSTFIX
        case Unary(operator, operand):
            return f"{operator} {written(operand, PREFIX)}", PREFIX
        case Binary(operator, left, right):
            level = LEVEL[operator]
            chains = operator not in ("<", "<=", ">", ">=")
            return f"{written(left, level if chains else level + 1)} {operator} {written(right, level + 1)}", level
    raise AssertionError(expression)


def arguments(argument: Expression | Lambda | None, more: str) -> str:
    match argument:
        case None:
            return "()"
        case Lambda(parameter, body):
            return f" {{ {'' if parameter == 'it' else parameter + ' -> '}{written(body)} }}"
    return f"({written(argument)}{more})"


def quoted(value: str) -> str:
    escapes = {'"': '\\"', "\\": "\\\\", "$": "\\$", "\n": "\\n", "\t": "\\t"}
    return '"' + "".join(escapes.get(character, character) for character in value) + '"'


@examples(4)
@given(st.recursive(LEAVES, branches, max_leaves=12))
def test_what_is_written_with_kotlins_precedence_is_read_back_as_it_was(expression: Expression) -> None:
    assert parse_expression(written(expression)) == expression
