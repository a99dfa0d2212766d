"""The order of names, and the advice on a wrong one."""

import pytest

from stoic_assets.core.presentation.names import instead_of, natural

MANY = [f"job_{number}" for number in range(10, 50)]


@pytest.mark.parametrize(("name", "known", "said"), [
    ("chta", ["other", "chat"], "did you mean chat? known: chat, other"),
    ("chta", ["chat"], "did you mean chat?"),
    ("zeno", ["other", "chat"], "known: chat, other"),
    ("m@1.0", ["m@1.1.0", "m@1.0.0", "m@1"], "did you mean m@1.0.0? known: m@1, m@1.0.0, m@1.1.0"),
    ("zeno", ["m@1.10.0", "m@1.9.0"], "known: m@1.9.0, m@1.10.0"),
    ("zeno", [], "known: none"),
    ("x", MANY, f"known: {', '.join(MANY[:8])} and 32 more"),
    ("jb_42", MANY, f"did you mean job_42? known: {', '.join(MANY[:8])} and 32 more"),
])  # fmt: skip
def test_a_wrong_name_is_answered_with_the_nearest_and_the_first_of_all(name: str, known: list[str], said: str) -> None:
    assert instead_of(name, known) == said


@pytest.mark.parametrize(
    "names", [["s0", "s1", "s2", "s10"], ["a_9.b-10", "a_10.b-2"], ["", "7", "10", "x", "x1"], ["9" * 30 + "x", "y"]]
)
def test_numbers_in_names_count(names: list[str]) -> None:
    jumbled = names[::-1]
    assert sorted(jumbled, key=natural) == names


def test_names_that_differ_in_zeros_alone_have_one_order_too() -> None:
    assert natural("v1.01") != natural("v1.1")
