"""What stays in rows and events although it looks like a secret."""

from stoic_assets.core.secrets.redaction import Redactor


def test_names_of_measures_and_of_what_a_person_thought_stay_whatever_a_pattern_matches() -> None:
    """What is sent of them could not be read by a program any more."""
    row = {
        "weak_virtues": ["practical_wisdom"], "floor_violations": ["practical_wisdom"], "regressed": ["wisdom"],
        "improved": ["courage"], "moved": ["justice"], "evaluation_ids": ["night-20261122-0123abcd"],
        "measures": [{"measure": "practical_wisdom"}], "acceptance_status": "needs_improvement",
        "dimension_feedback": [{"sentiment": "negative"}],
    }  # fmt: skip
    assert Redactor([r"[\w-]{4,}"]).row(row) == row


def test_a_pattern_that_matches_between_characters_blanks_only_what_it_finds() -> None:
    assert Redactor([r"(?=d)|key\d*"]).text("a door and key7") == "a door and [redacted]"
