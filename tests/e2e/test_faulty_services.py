"""Model servers and agents that misbehave: whose fault it was is kept apart, and no score is made up."""

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from agents import EmbabelAgent
from contract import VIRTUES, check_document, quoted
from double import Answer, Call, Double, away_for, hang, slow, status
from model_server import SIGN_OFF, ModelServer, says
from relay import Relay
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


@pytest.fixture
def agents(running: Callable[[Double], Any]) -> dict[str, EmbabelAgent]:
    """One agent for each kind of trouble."""
    names = (
        "healthy", "dying", "failing", "busy", "mumbling", "closed", "slow", "hanging", "cut-off", "patient",
        "restarted",
    )
    found: dict[str, EmbabelAgent] = {name: running(EmbabelAgent()) for name in names}
    found["dying"].when("message", found["dying"].die, after=1)
    found["failing"].when("message", status(500, body="stack trace"), times=2, after=1)
    found["busy"].when("message", status(429, {"Retry-After": "1"}), times=1, after=1)
    found["mumbling"].when("message", lambda call: {"message": "not an object"}, after=1)
    found["closed"].when("session", status(500))
    found["slow"].when("message", slow(2.5), times=1)
    found["hanging"].when("message", hang, after=1)
    found["patient"].when("message", slow(6.0), times=1)
    away = away_for(0.4)
    found["restarted"].when("message", away, after=1)
    found["restarted"].when("session", away, after=1)
    return found


@pytest.fixture
def relay(stoic: Stoic) -> Iterator[Relay]:
    """The way to the subject graph."""
    with Relay(stoic.env["NEO_URI"]).running() as found:
        stoic.env["NEO_URI"] = found.url
        yield found


WATCHED = ("cut-off", "patient")
"""The graph goes away at the end of the first conversation, and is back before the second ends."""


def test_faults_of_agents_are_theirs_and_those_of_the_graph_are_not(
    stoic: Stoic, model: ModelServer, agents: dict[str, EmbabelAgent], relay: Relay
) -> None:
    stoic.write("stoic.yml", "limits: {agent: {backoff_seconds: 0.01}}\n")
    for name, agent in agents.items():
        seconds = {"timeoutSeconds": 1} if name == "hanging" else {}
        target = {"user": "ada-{trial}", "chatbot": "my-agent", "url": agent.url, **seconds}
        query = {"assertions": [{"cypher": "RETURN $trial <> ''", "expected": True}]} if name in WATCHED else {}
        stoic.job(name, target=target, aspirationalAverage=1000, **query)
    agents["cut-off"].when("message", lambda _: relay.break_for(3), times=1, after=1)

    done = stoic("eval", "--fail-under", "0.9", code=1)

    rows = stoic.sql(
        "select s.job, s.outcome, overall, s.failure_count, failure_penalty, timing, s.average_response_ms, detail "
        "from composite_scores s join trials using (trial_id)"
    )
    trials = {row[0]: Row(*row[1:]) for row in rows}
    errors = {"dying", "mumbling", "closed", "hanging"}
    assert set(trials) == set(agents)
    found = {name: trial.overall for name, trial in trials.items() if trial.outcome == "agent_error"}
    assert found == dict.fromkeys(errors, 0)
    assert {name: t.overall for name, t in trials.items() if t.outcome == "infra_error"} == {"cut-off": None}
    assert trials["patient"].outcome == "signed_off"
    counted = {name: trial.failures for name, trial in trials.items() if trial.failures}
    failed = {"dying": 4, "failing": 2, "mumbling": 4, "hanging": 4, "restarted": 1}
    assert counted == failed  # a closed door: no message failed
    assert {name: trial.penalty for name, trial in trials.items() if trial.penalty} == {
        **dict.fromkeys(counted, 0.5), "restarted": 0.3,
    }
    assert trials["busy"].reply_ms > 500  # one reply of two waited for a second
    assert trials["slow"].timing < 0.81
    for trial in (trials["slow"], trials["healthy"]):
        assert trial.timing == pytest.approx(min(1, 1000 / trial.reply_ms))
    scored = [trial.overall for trial in trials.values() if trial.overall is not None]
    average = quoted(sum(scored) / len(scored))
    assert done.line == f"stoic: the average score {average:.2f} is below 0.9"
    assert len(model.of("judge")) == 36  # six conversations ran their course, and each is judged by itself
    for name in (*errors, "cut-off"):
        start = f"{trials[name].outcome}  {name} withheld 1: "
        [line] = [line for line in done.out.splitlines() if line.startswith(start)]
        assert trials[name].detail
        assert trials[name].detail in line
    assert "invalid trials: 1 of 11" in done.out


class Row(NamedTuple):
    """What became of a trial."""

    outcome: str
    overall: float | None
    failures: int
    penalty: float
    timing: float
    reply_ms: float
    detail: str | None


def test_an_agent_may_take_all_the_time_that_its_job_allows_for_an_attempt(stoic: Stoic, agent: EmbabelAgent) -> None:
    stoic.write("stoic.yml", "conversations: {turn_timeout_seconds: 0.3}\n")
    stoic.job(target={"user": "ada-{trial}", "chatbot": "my-agent", "timeoutSeconds": 100})
    agent.when("message", slow(1.0), times=1)
    [trial] = stoic("eval", "--json").document["trials"]
    assert (trial["outcome"], trial["failure_count"]) == ("signed_off", 0)


def test_trials_that_the_graph_missed_are_played_again_by_other_users(
    stoic: Stoic, agent: EmbabelAgent, relay: Relay
) -> None:
    for name in ("cut-off", "fine"):
        query = [{"cypher": "RETURN $trial <> ''", "expected": True}] if name == "cut-off" else []
        stoic.job(name, greetings=[f"Hello {name}!"], assertions=query)
    agent.when("message", lambda call: relay.break_for(3) if "Hello cut-off!" in call.text else None, times=2)

    held = stoic("eval", code=3)
    assert "1 of 2 trials is invalid, more than the 10 % that stoic.yml allows; the first: infra_error" in held.line
    [(evaluation_id,)] = stoic.sql("select evaluation_id from evaluations")
    again = f"`stoic eval --agent-version my-agent@dev --resume {evaluation_id}`"
    assert f"{again} runs them again" in held.line

    agent.calls.clear()
    relay.await_open()
    stoic("eval", "--resume")
    users = dict(stoic.sql('select job, "user" from trials where outcome = \'signed_off\''))
    trial = f"ada-{evaluation_id}.{{}}.withheld.1"
    assert users == {"cut-off": trial.format("cut-off") + "-2", "fine": trial.format("fine")}
    assert {call.body["user"] for call in agent.calls if call.kind == "session"} == {users["cut-off"]}
