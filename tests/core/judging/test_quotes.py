"""A quote was said for a reader of verdicts where it was said for the judge's grounding."""

from collections.abc import Callable

import pytest

from stoic_assets.core.conversation.evidence import Evidence
from stoic_assets.core.judging.exhibit import blocks, function_calls
from stoic_assets.core.judging.grounding import grounded_share
from stoic_assets.core.judging.quotes import SearchableRecord

EVENTS = [{"request": {"function": {"name": name}, "arguments": {"at": "9"}}} for name in ("createReminder", "list")]


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ('createReminder {"at": "9"}', True),
        ("createReminder ... list {", True),
        ('"9"} list {', True),
        ("list ... createReminder", False),
        ("I was told that", True),
        ("I was told that createReminder", False),
    ],
)
def test_record_and_grounding_agree(make_evidence: Callable[..., Evidence], quote: str, said: bool) -> None:
    turns = (evidence := make_evidence("I was told that.", "Vale.", events=EVENTS)).turns
    record = SearchableRecord((turn.content for turn in turns), (function_calls(turn.events) for turn in turns))
    found = record.quote(quote, "courage")
    assert found is not None
    assert found.said is said
    assert grounded_share([quote], [block.text for block in blocks(evidence, with_actions=True)]) == said
