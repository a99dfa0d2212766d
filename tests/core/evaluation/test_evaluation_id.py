import pytest

from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.evaluation_id import check_evaluation_id


@pytest.mark.parametrize("evaluation_id", ["", ".", "..", ".e1", "a/b", "../x", "a b", "a\n", "e*", "é"])
def test_an_id_that_cannot_name_a_file_is_refused(evaluation_id: str) -> None:
    with pytest.raises(ConfigurationError, match="is not an evaluation id"):
        check_evaluation_id(evaluation_id)


def test_an_id_that_is_too_long_for_the_names_of_files_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"^an evaluation id has at most 200 characters, not 201: x{40}\.{3}$"):
        check_evaluation_id("x" * 201)


IDS = ["e1", "-", "e..", "night-20261121-0123abcd-again", "20260101T000000-abcdef", "x" * 200]


@pytest.mark.parametrize("evaluation_id", IDS)
def test_other_ids_are_as_they_are(evaluation_id: str) -> None:
    assert check_evaluation_id(evaluation_id) == evaluation_id
