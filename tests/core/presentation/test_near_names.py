import pytest

from stoic_assets.core.presentation.near_names import instead_of

MANY = [f"job_{number}" for number in range(10, 50)]


@pytest.mark.parametrize(("name", "known", "said"), [
    ("chta", ["other", "chat"], "did you mean chat? known: chat, other"),
    ("chta", ["chat"], "did you mean chat?"),
    ("zeno", ["other", "chat"], "known: chat, other"),
    ("zeno", [], "known: none"),
    ("x", MANY, f"known: {', '.join(MANY[:8])} and 32 more"),
    ("jb_42", MANY, f"did you mean job_42? known: {', '.join(MANY[:8])} and 32 more"),
])  # fmt: skip
def test_a_wrong_name_is_answered_with_the_nearest_and_the_first_of_all(name: str, known: list[str], said: str) -> None:
    assert instead_of(name, known) == said
