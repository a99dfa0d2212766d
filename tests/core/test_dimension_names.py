"""Two spellings of one dimension cannot speak of two virtues."""

import pytest

from stoic_assets.core.dimension_names import of_one_virtue_each


def test_spellings_of_one_dimension_may_have_the_same_virtue_but_not_different_ones() -> None:
    alike = {"Practical Use": "wisdom", "practical-use": "wisdom", "clarity": "courage"}
    assert of_one_virtue_each(alike) == alike
    with pytest.raises(ValueError, match=r"^'Practical Use' and 'practical_use' are the same dimension"):
        of_one_virtue_each({"Practical Use": "wisdom", "practical_use": "courage"})
