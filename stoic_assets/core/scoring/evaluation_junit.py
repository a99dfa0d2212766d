"""An evaluation as JUnit XML: one suite for each job and in it one test for each trial, for build servers."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from stoic_assets.core.assertions.counting import has_failed
from stoic_assets.core.assertions.wording import failure
from stoic_assets.core.conversation.evidence import SCORED
from stoic_assets.core.presentation.confidence import OFFLINE_NOTE
from stoic_assets.core.presentation.formatting import short_of
from stoic_assets.core.presentation.junit import Case, Suite, junit
from stoic_assets.core.scoring.evaluation_document import TrialEntry, low_tasks


def evaluation_junit(
    document: Mapping[str, Any], names: Mapping[str, str], task_at_least: float, refusal: str | None
) -> str:
    """A trial that did not pass, or in which the agent failed, is a failure; an invalid one is an error.

    One in which there is nothing to pass is skipped. Why there is no verdict on the whole is one more error. `document`
    is that of `evaluation_document`, `names` are the names of the trials by their ids; `task_at_least`, 0–1, is the
    mean of the task scores that passes. Every test of an offline evaluation is marked as such: of a passed one, a build
    server shows little else.
    """
    version, offline = document["agent_version"], document["offline"]
    said = "\n".join([f"evaluation {document['evaluation_id']}", *([OFFLINE_NOTE] if offline else [])])
    mark = " (offline)" if offline else ""
    suites = [
        Suite(
            f"stoic eval {version} {job}",
            [_case(trial, f"{job}{mark}", names[trial["trial_id"]], task_at_least) for trial in trials], said,
        )
        for job, trials in groupby(document["trials"], key=lambda trial: trial["job"])
    ]
    if refusal:
        suites.append(_refused(version, refusal, mark, said))
    return junit(suites)


def refusal_junit(agent_version: str, why: str) -> str:
    """Only the error, for an evaluation that was not judged to the end, so that its scores are of earlier verdicts."""
    return junit([_refused(agent_version, why)])


def _refused(agent_version: str, why: str, mark: str = "", said: str = "") -> Suite:
    return Suite(f"stoic eval {agent_version}", [Case(f"{agent_version}{mark}", "verdict", "error", why)], said)


def _case(trial: TrialEntry, classname: str, name: str, task_at_least: float) -> Case:
    if trial["outcome"] not in SCORED:
        return Case(classname, name, "error", _breakdown(trial))
    if trial["outcome"] == "agent_error":
        return Case(classname, name, "failure", _breakdown(trial))
    if trial["passed"] is None:
        return Case(classname, name, "skipped", "nothing to pass: no task score, no decided assertion with a weight")
    if trial["passed"]:
        return Case(classname, name)
    assertions = [failure(each) for each in trial["assertions"] if has_failed(each)]
    tasks = [
        f"task scored {short_of(task['score'], task_at_least)}: {task['task']}  ({task['reason']})"
        for task in low_tasks(trial["scores"]["task"], trial["tasks"], task_at_least)
    ]
    reasons = [*assertions, *tasks]
    return Case(classname, name, "failure", "; ".join(reasons), "\n".join(reasons))


def _breakdown(trial: TrialEntry) -> str:
    return f"{trial['outcome']}: {trial['reason'] or 'see the report'}"
