"""Models that misbehave as judge or user: never the agent's fault, and no score is made up."""

import json
from typing import Any

import pytest
from contract import VIRTUES, check_document, quoted
from double import Answer, Call, hang, status
from model_server import SIGN_OFF, ModelServer, says
from stoic_command import Stoic

pytestmark = pytest.mark.long
SECRET = "The user lives with seven cats in Lyon"
CRITERION = "It answers with Paris"
NUMBERS_OF_17 = json.dumps(
    {f"task_{n}" if n else "tone": {"reason": "superb", "score": 17} for n in (1, 0)}
)

TONE_OF_17 = NUMBERS_OF_17.replace("17", "0.8", 1)


def marks(text: str) -> Answer:
    """A reply when tasks and tone are to be marked."""
    said = says(text)
    return lambda call: said(call) if "tasks_verdict" in json.dumps(call.body["response_format"]) else None


def once(answer: Answer) -> Answer:
    """A fault that happens the first time only."""
    left = [answer]
    return lambda call: left.pop()(call) if left else None


JUDGES: dict[str, Answer] = {
    "rubbish": says("I think it went rather well!"),
    "cut": says('{"task_1": {"reason": "it answ'),
    "seventeen": says(NUMBERS_OF_17),
    "toneless": marks(TONE_OF_17),
    "endless": says(json.dumps({"task_1": {"reason": "and so on " * 6000, "score": 0.5}, "tone": {}})),
    "silent-judge": says(""),
    "broken-judge": status(500),
    "repaired": once(says("Sorry, here is the JSON:")),
    "stirred": once(says("")),
    "busy-judge": once(status(429, {"Retry-After": "0.2"})),
}
USERS: dict[str, Answer] = {
    "mute": says(" "),
    "telltale": says("By the way, I live with seven cats in Lyon."),
    "examiner": says(f"Your answer should be this: {CRITERION}."),
    "hasty": says(f"Bye. {SIGN_OFF}"),
    "hanging-user": hang,
    "repentant": once(says(SECRET)),
    "shy": once(says("")),
}
SCORED = {"fine", "toneless", "repaired", "stirred", "busy-judge", "repentant", "shy"}
# A time-out that a busy machine reaches would ask a healthy user again.
PATIENCE = """
limits:
  evaluator: {timeout_seconds: 4, attempts: 2}
  judge: {timeout_seconds: 20, attempts: 2}
"""


def by_job(answers: dict[str, Answer]) -> Answer:
    """The answer for the job whose greeting stands in the request."""

    def answer(call: Call) -> Any:
        return next((fault(call) for name, fault in answers.items() if f"Hello {name}!" in call.text), None)

    return answer


def test_faults_of_models_are_never_the_agents(stoic: Stoic, model: ModelServer) -> None:
    for name in ("fine", *JUDGES, *USERS):
        stoic.job(name, greetings=[f"Hello {name}!"], facts=[SECRET])
    stoic.write("stoic.yml", PATIENCE)
    model.when("judge", by_job(JUDGES))
    model.when("evaluator", by_job(USERS))

    done = stoic("eval", "--json", "--condition", "withheld", "--fail-under", "0.99", code=3)

    check_document(done.document)
    trials = {trial["job"]: trial for trial in done.document["trials"]}
    assert {name for name, trial in trials.items() if trial["scores"]["overall"] is not None} == SCORED
    judged_badly = set(JUDGES) - SCORED
    assert {name for name, trial in trials.items() if trial["outcome"] == "judge_error"} == judged_badly
    assert {name for name, trial in trials.items() if trial["outcome"] == "evaluator_error"} == set(USERS) - SCORED
    for name in set(trials) - SCORED:
        _is_unscored(trials[name])
    assert {name for name, trial in trials.items() if trial["reason"]} == set(trials) - SCORED
    [silent] = done.document["silent_judges"]
    assert f"judge {silent['judge']} gave no verdict on {silent['missing']['virtues']} of " in done.err
    assert {name for name in SCORED if trials[name]["scores"]["tone"] is None} == {"toneless"}
    [(why,)] = stoic.sql("select error from tone_scores where trial_id like '%toneless%'")
    assert "no valid verdict in 3 replies; the last: tone.score: Input" in why
    assert done.document["invalid_trials"] == len(trials) - len(SCORED)
    totals = [trials[name]["scores"]["overall"] for name in SCORED]
    assert done.document["average_score"] == quoted(sum(totals) / len(totals))
    assert "11 of 18 trials are invalid, more than the 10 % that stoic.yml allows" in done.line
    assert "; the first: judge_error  broken-judge withheld 1: " in done.line
    assert stoic.sql("select count(*) from events where type = 'evolution.stoic_evaluation_applied'") == [(0,)]
    _asked_again_with_the_reason(model)

    model.behave()
    mended = stoic("regrade", "--json", code=3).document  # the users' faults remain
    unscored = {trial["job"] for trial in mended["trials"] if trial["scores"]["overall"] is None}
    assert unscored == set(USERS) - SCORED
    assert [t["scores"]["tone"] for t in mended["trials"] if t["job"] == "toneless"] == [0.8]

    model.calls.clear()
    whole = stoic("eval", "--resume", "--condition", "withheld", "--json").document
    assert whole["evaluation_id"] == done.document["evaluation_id"]
    assert whole["invalid_trials"] == 0
    greeted = {name for name in USERS for call in model.of("evaluator") if f"Hello {name}!" in call.text}
    assert greeted == set(USERS) - SCORED


def _is_unscored(trial: dict[str, Any]) -> None:
    assert [trial["scores"][part] for part in ("timing", "task", "assertion", "tone", "overall")] == [None] * 5
    assert [task["score"] for task in trial["tasks"]] in ([], [None])
    assert [trial["virtues"][virtue]["score"] for virtue in VIRTUES] == [None] * 5


def _asked_again_with_the_reason(model: ModelServer) -> None:
    """A refused message is asked for once more, with a reason that does not tell the secret."""
    asked = _asked(model, "repentant")
    assert len(asked) == 3  # the leak, its replacement, the sign-off
    assert "was not used" in asked[1]
    assert SECRET not in "".join(call.text for call in model.of("evaluator"))
    assert len(_asked(model, "telltale")) == 2


def _asked(model: ModelServer, job: str) -> list[str]:
    """The different requests for a job's user; one that a busy machine let time out was sent again as it was."""
    return list(dict.fromkeys(call.text for call in model.of("evaluator") if f"Hello {job}!" in call.text))
