"""The order of names with numbers in them."""

import pytest

from stoic_assets.core.presentation.ordering import natural


@pytest.mark.parametrize(
    "names", [["s0", "s1", "s2", "s10"], ["a_9.b-10", "a_10.b-2"], ["", "7", "10", "x", "x1"], ["9" * 30 + "x", "y"]]
)
def test_numbers_in_names_count(names: list[str]) -> None:
    jumbled = names[::-1]
    assert sorted(jumbled, key=natural) == names
