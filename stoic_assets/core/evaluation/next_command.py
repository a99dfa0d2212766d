"""The commands by which an evaluation goes on, as they are told to people."""

from collections.abc import Collection

from stoic_assets.core.evaluation.status import INCOMPLETE, REGRADING
from stoic_assets.core.presentation.names import instead_of


def way_to_finish(agent_version: str, evaluation_id: str, status: str, at_ceiling: bool = False) -> str:
    """The command that finishes this unfinished evaluation; with the same cost ceiling it would end `at_ceiling` again.

    If it is being judged again, that may be with corrected jobs; `--resume` would restore the old ones.
    """
    key = agent_version, evaluation_id
    again = f"{judge_again(*key)} (same options)" if status == REGRADING else resume(*key)
    return f"{again} and a higher --max-cost" if at_ceiling or status == INCOMPLETE else again


def resume(agent_version: str, evaluation_id: str) -> str:
    """The command that holds the conversations which an evaluation still lacks, and all that follows from them."""
    return f"`stoic eval --agent-version {agent_version} --resume {evaluation_id}`"


def judge_again(agent_version: str, evaluation_id: str, fresh: bool = False) -> str:
    """The command that judges an evaluation again without another conversation, `fresh` without cached verdicts."""
    options = " --fresh" if fresh else ""
    return f"`stoic regrade --agent-version {agent_version} --evaluation {evaluation_id}{options}`"


def way_to_repeat(agent_version: str, evaluation_id: str, status: str, lack_verdicts_alone: bool) -> str:
    """How to get rid of invalid trials: those that lack only a verdict are not played again."""
    if lack_verdicts_alone:
        return f"{judge_again(agent_version, evaluation_id)} judges them again; you may choose other judges first"
    return f"{way_to_finish(agent_version, evaluation_id, status)} runs them again"


def half_judged(agent_version: str, evaluation_id: str) -> str:
    """The message for an evaluation that is `REGRADING` while no run works on it."""
    return (
        f"judging evaluation {evaluation_id} of {agent_version} again was cut short; continue with "
        f"{way_to_finish(agent_version, evaluation_id, REGRADING)}"
    )


def never_evaluated(agent_version: str, known: Collection[str]) -> str:
    """The message about a version without an evaluation; `known` are those that have one: it may be meant for one."""
    new = f"run `stoic eval --agent-version {agent_version}`"
    return f"was never evaluated; {f'{instead_of(agent_version, known)}; to evaluate it, ' if known else ''}{new}"
