"""What an evaluation that was cut off and taken up again has in common with one that nobody disturbed."""

from collections import Counter
from collections.abc import Callable, Sequence

from agents import EmbabelAgent
from stoic_command import Stoic

COLUMNS = {
    "trials": "job, condition, repeat, outcome, detail, failure_count, turns, tags, job_hash, evaluator_model",
    "turns": "trial_id, turn, speaker, content, attempts, events",
    "observations": "trial_id, assertion, kind, text, parameters, result, error",
    "virtue_scores": "trial_id, virtue, judge_model, sample, score, confidence, reasoning, aspects, prompt_hash, error",
    "task_scores": "trial_id, task, type, task_text, score, reason, judge_model, prompt_hash, error",
    "assertion_results": "trial_id, assertion, kind, text, weight, expected, actual, passed, error",
    "composite_scores": "trial_id, outcome, valid, timing, task, assertion, failure_penalty, overall, virtue_overall",
}


def rows(stoic: Stoic, version: str, table: str, columns: str) -> list[str]:
    """The rows of one version without what differs from run to run."""
    found = stoic.sql(f"select {columns} from {table} where agent_version = '{version}'")
    [(evaluation_id,)] = stoic.sql(f"select distinct evaluation_id from trials where agent_version = '{version}'")
    return sorted(str(row).replace(evaluation_id, "E").replace(version, "V") for row in found)


def check_turns_sent(
    agent: EmbabelAgent, trials: int, planned_for: Callable[[str], Sequence[str]], repeated: int
) -> None:
    """Each trial got the messages that are planned for its user in order; of them so many went out twice at most."""
    told: dict[str, list[str]] = {}
    for call in agent.of("message"):
        told.setdefault(agent.users[call.body["sessionId"]], []).append(call.body["message"]["content"])
    assert len(told) == trials
    for user, messages in told.items():
        planned = list(planned_for(user))
        assert sorted(set(messages), key=messages.index) == planned
        assert sum(Counter(messages).values()) - len(planned) <= repeated
