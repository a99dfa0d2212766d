"""Which models answered to the name that was asked for: a gateway falls back, a provider moves a name, without a word.

Another model judges otherwise, so that scores change although the agent did not.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from stoic_assets.core.calls.chat import Role
from stoic_assets.core.presentation.formatting import listed, plural
from stoic_assets.core.table_rows import Row

SERVED = ("role", "model", "served_model")
"""The columns of `llm_calls` that this is read from."""
Served = Mapping[tuple[str, str], Mapping[str, int]]
"""How often each model answered, by the `Role` of the call and the model that was asked."""


def served_models(calls: Iterable[Row]) -> Served:
    """Which models answered in these calls. Those of which no server told are left out."""
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for call in calls:
        if call["served_model"] is not None:
            found[call["role"], call["model"]][call["served_model"]] += 1
    return found


def several_served(served: Served) -> list[str]:
    """A sentence about each judge to whose name more than one model answered."""
    judges = {model: answered for (role, model), answered in sorted(served.items()) if role == "judge"}
    return [_sentence(judge, answered) for judge, answered in judges.items() if len(answered) > 1]


def exchanged(base: Served, candidate: Served, role: Role) -> list[str]:
    """What to say of each name in a role to which other models answered for the candidate than for the base.

    Where one model answered for both, nothing is known to have changed: calls of earlier judgings are among these.
    """
    asked = sorted(model for known, model in base.keys() & candidate.keys() if known == role)
    pairs = [(model, base[role, model].keys(), candidate[role, model].keys()) for model in asked]
    return [
        f"{model} was answered by {listed(sorted(before))}, then by {listed(sorted(after))}"
        for model, before, after in pairs
        if not before & after
    ]


def _sentence(judge: str, answered: Mapping[str, int]) -> str:
    often_first = sorted(answered.items(), key=lambda each: -each[1])
    replies = [f"{name} ({plural(count, 'reply', 'replies')})" for name, count in often_first]
    found = f"as judge {judge} several models answered, which may judge differently: {listed(replies)}"
    return f"{found}, those to earlier judgings included"
