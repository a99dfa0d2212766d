"""An assertion with a name and one without, in all forms."""

import pytest

from stoic_assets.core.assertions.wording import failure, has_name, label, name_or_text

TEXT = "MATCH (r:Reminder)\n  RETURN count(r)"
LINE = "MATCH (r:Reminder) RETURN count(r)"


@pytest.mark.parametrize(
    ("assertion", "named", "short", "labelled", "failed"),
    [
        ("tea at 9", True, "tea at 9", "tea at 9", f"tea at 9: {LINE}  (got 0)"),
        ("2", False, TEXT, f"2: {LINE}", f"{LINE}  (got 0)"),
    ],
)
def test_an_assertion_is_called_by_its_name_and_without_one_by_its_text(
    assertion: str, named: bool, short: str, labelled: str, failed: str
) -> None:
    assert has_name(assertion) is named
    assert (name_or_text(assertion, TEXT), label(assertion, TEXT)) == (short, labelled)
    assert failure({"name": assertion, "text": TEXT, "error": "got 0"}) == failed


def test_an_expression_that_fails_without_an_error_was_false() -> None:
    assert failure({"name": "1", "text": "evaluation.done", "error": None}) == "evaluation.done  (it was false)"
