"""What the terminal tells of single trials: how they ended, and which assertions failed."""

from collections.abc import Iterable, Mapping, Sequence

from stoic_assets.core.assertions.counting import has_failed
from stoic_assets.core.assertions.wording import failure
from stoic_assets.core.conversation.evidence import PLAIN, SCORED
from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.formatting import count, listed
from stoic_assets.core.scoring.evaluation_document import TrialEntry, low_tasks

Names = Mapping[str, str]
"""What each trial is called, by its id."""
MOST_LINES = 12
MOST_PLACES = 5
"""How many jobs a line names, each in one condition; a single further one is named too."""


def ending(trial: TrialEntry, names: Names) -> str:
    """How a trial ended, and why."""
    return f"{trial['outcome']}  {names[trial['trial_id']]}: {_why(trial)}"


def endings(trials: Sequence[TrialEntry], names: Names) -> list[str]:
    """How those trials ended that ended unusually, and why; also what happened where messages failed."""
    unusual = [trial for trial in trials if trial["outcome"] not in PLAIN or trial["reason"]]
    return _shortened(_told_once((trial["outcome"], names[trial["trial_id"]], _why(trial)) for trial in unusual))


def failures(trials: Sequence[TrialEntry], names: Names, task_at_least: float) -> list[str]:
    """The failed assertions that count, and the tasks below `task_at_least` (0–1) where they let a trial fail."""
    scored = [trial for trial in trials if trial["outcome"] in SCORED]
    asserted = _told_once(
        ("failed", names[trial["trial_id"]], failure(assertion))
        for trial in scored for assertion in trial["assertions"] if has_failed(assertion)
    )  # fmt: skip
    below = f"tasks scored below {task_at_least:g}"
    badly_done = _told_once(
        ("failed", names[trial["trial_id"]], f"{below}: {'; '.join(task['task'] for task in low)}")
        for trial in trials if (low := low_tasks(trial["scores"]["task"], trial["tasks"], task_at_least))
    )  # fmt: skip
    return _shortened([*asserted, *badly_done])


def _told_once(told: Iterable[tuple[str, str, str]]) -> list[str]:
    """One line for all trials (what, name, why) that share what and why: 200 may meet the same cost ceiling."""
    trials = grouped(((what, why), name) for what, name, why in told)
    return [f"{what}  {_repeats(names)}: {why}" for (what, why), names in trials.items()]


def _repeats(names: Iterable[str]) -> str:
    """Names of trials, which end with the repeat: `chat withheld 1, 2; plan withheld 1`."""
    played = grouped((where, repeat) for where, _, repeat in (name.rpartition(" ") for name in names))
    kept = MOST_PLACES if len(played) > MOST_PLACES + 1 else len(played)
    shown = [f"{where} {listed(repeats)}" for where, repeats in played.items()][:kept]
    more = sum(map(len, [*played.values()][kept:]))
    return "; ".join([*shown, f"and {count(more)} more trials"] if more else shown)


def _shortened(lines: Sequence[str]) -> list[str]:
    left_out = len(lines) - MOST_LINES
    return [*lines[:MOST_LINES], f"and {left_out} more, which the report shows"] if left_out > 0 else [*lines]


def _why(trial: TrialEntry) -> str:
    return trial["reason"] or "see the report"
