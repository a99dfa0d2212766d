"""Which models answered as a judge: a gateway may fall back to another one without a word.

It judges otherwise, so that scores change although the agent did not.
"""

from collections import Counter
from collections.abc import Iterable

from stoic_assets.core.presentation.formatting import listed, plural
from stoic_assets.core.table_rows import Row


def several_served(calls: Iterable[Row]) -> list[str]:
    """A sentence about each judge as which more than one model answered; `calls` are rows of `llm_calls`."""
    judges: dict[str, Counter[str]] = {}
    for call in calls:
        if call["role"] == "judge" and call["served_model"] is not None:
            judges.setdefault(call["model"], Counter())[call["served_model"]] += 1
    return [_sentence(judge, served) for judge, served in sorted(judges.items()) if len(served) > 1]


def _sentence(judge: str, served: Counter[str]) -> str:
    replies = [f"{name} ({plural(count, 'reply', 'replies')})" for name, count in served.most_common()]
    found = f"as judge {judge} several models answered, which may judge differently: {listed(replies)}"
    return f"{found}, those to earlier judgings included"
