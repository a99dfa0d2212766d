"""What commands remark beside the results of an evaluation: that an agent, a judge or the user may be at fault."""

from collections.abc import Iterator, Sequence

from stoic_assets.cli.outcome_trials import Names, ending
from stoic_assets.core.calls.served_models import served_models, several_served
from stoic_assets.core.conversation.audit import raised_nothing
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.function_calls import calls_function
from stoic_assets.core.grouping import grouped
from stoic_assets.core.judging.silent_judges import in_words
from stoic_assets.core.presentation.formatting import plural
from stoic_assets.core.scoring.evaluation_document import TrialEntry
from stoic_assets.core.secrets.redaction import BLANK
from stoic_assets.core.table_rows import Row


def never_replied(trials: Sequence[TrialEntry], names: Names, turns: Sequence[Row]) -> str | None:
    """A sentence if the agent said nothing, or failed in every trial before its first reply, else None.

    Such trials are scored, but probably not intended.
    """
    replies = [turn["content"] for turn in turns if turn["speaker"] == "agent"]
    if replies and not any(reply.strip() for reply in replies):
        return "every reply of the agent is empty; check what it returns, and its protocol"
    if not trials or any(trial["outcome"] != "agent_error" or trial["average_response_ms"] for trial in trials):
        return None
    question = (
        "every trial ended without a reply; check the agent's address and protocol, and `limits.agent.timeout_seconds` "
        "if it is slow."
    )
    return f"{question} The first: {ending(trials[0], names)}"


def about_judges(silent: Sequence[Row], calls: Sequence[Row]) -> list[str]:
    """Sentences about judges without a verdict (`silent`), and those to whose names several models answered."""
    return [*map(in_words, silent), *several_served(served_models(calls))]


def about_conversations(
    turns: Sequence[Row], trials: Sequence[Row], manifest: Manifest, secrets_told: int
) -> Iterator[str]:
    """Sentences about tools that were not run, tasks that were not raised, and secrets that were revealed."""
    of_agent = [turn for turn in turns if turn["speaker"] == "agent"]
    if called := sum(not turn["content"].strip() and calls_function(turn["events"]) for turn in of_agent):
        answers = plural(called, "reply", "replies")
        yield f"{answers} without words, but with tool calls: an agent has to run its tools itself"
    if lost := _aimless(manifest, trials, turns):
        yield (
            f"in {plural(lost, 'trial')} that ended at the turn limit the simulated user seems to have raised none of "
            "its tasks, which counts against the agent: read them, and try another evaluator model"
        )
    if secrets_told:
        yield f"the agent's words contained a secret {plural(secrets_told, 'time')}, stored as {BLANK}"


def _aimless(manifest: Manifest, trials: Sequence[Row], turns: Sequence[Row]) -> int:
    """Counts the trials that ended at the turn limit in which the simulated user seems to have raised no task."""
    jobs = {job.name: job for job in manifest.spec.jobs}
    conversations = grouped((row["trial_id"], Turn(row["turn"], row["speaker"], row["content"])) for row in turns)
    ended = [trial for trial in trials if trial["outcome"] == "max_turns"]
    return sum(raised_nothing(jobs[trial["job"]], conversations[trial["trial_id"]]) for trial in ended)
