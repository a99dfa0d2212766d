"""What was said in a trial."""

from stoic_assets.core.conversation.evidence import Evidence


def contents(evidence: Evidence) -> list[str]:
    return [turn.content for turn in evidence.turns]
