"""One trial from greeting to evidence.

The next step is decided from the journalled turns alone, so an interrupted conversation continues where it stopped.
"""

import asyncio
from collections.abc import Sequence
from typing import Literal

from stoic_assets.core.calls.chat import ModelFailure
from stoic_assets.core.calls.queueing import queueing, working_time
from stoic_assets.core.calls.retrying import AgentUnusable
from stoic_assets.core.conversation import journal as entries
from stoic_assets.core.conversation.evaluator import EvaluatorFault, next_message
from stoic_assets.core.conversation.evidence import Evidence, Outcome, Turn
from stoic_assets.core.conversation.journal import Entry, Journal, TrialState
from stoic_assets.core.conversation.observation import capture, knows_session
from stoic_assets.core.conversation.preparation import leaves_traces, prepare
from stoic_assets.core.conversation.signoff import signs_off, still_answers, without_signoff
from stoic_assets.core.conversation.world import World
from stoic_assets.core.errors import InfrastructureError, QueryError, StoicError
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.jobs.plan import Planned, seeded_random
from stoic_assets.core.jobs.trial import Trial
from stoic_assets.core.secrets.redaction import BLANK

Step = Literal["open", "listen", "speak", "signed_off", "max_turns"]


class SessionLost(StoicError):
    """An interrupted trial's session, or a part of what was said, is lost: the trial starts from the beginning."""


async def hold_trial(planned: Planned, world: World, journal: Journal) -> Evidence:
    """Runs a trial, or the rest of an interrupted one, and returns its evidence.

    A trial that an earlier run left invalid starts again. A fault inside becomes the trial's outcome.
    `ConfigurationError`, `ServiceUnreachable`, `StorageError` and `BudgetReached` pass through: they concern the whole
    evaluation, and the next run resumes the trial.
    """
    conversation = _Conversation(planned, world, journal)
    if not conversation.state.is_over(planned.may_restart()):
        await conversation.hold()
    return conversation.state.evidence(conversation.trial, world.evaluator_model)


def former_end(planned: Planned, world: World, journal: Journal) -> Evidence | None:
    """The evidence of an invalid trial from before it was started again; None if it had never ended."""
    past = list(journal.entries())
    ends = [number for number, entry in enumerate(past, 1) if entry["kind"] == "ended"]
    if not ends:
        return None
    state = TrialState.replay(past[: ends[-1]])
    return state.evidence(planned.at(state.attempt), world.evaluator_model)


def _next_step(turns: Sequence[Turn], job: Job, trial: Trial) -> Step:
    """What a conversation with these turns needs next.

    `max_turns` counts messages and is looked at before the user speaks. A sign-off is not sent to the agent, but what
    stands beside it is where the agent waits for it; then the conversation ends with the reply.
    """
    if not turns:
        return "open"
    if turns[-1].speaker == "user":
        return "signed_off" if _is_last(turns, job) and not still_answers(turns, job) else "listen"
    if trial.scenario or _is_last(turns[:-1], job):
        return "signed_off"
    return "speak" if len(turns) < job.max_turns else "max_turns"


def _is_last(turns: Sequence[Turn], job: Job) -> bool:
    """Whether the last of these messages signs off; the greeting does not."""
    return len(turns) > 1 and signs_off(turns[-1].content, job)


class _Conversation:
    """A trial in progress: its state and the journal that the state comes from."""

    def __init__(self, planned: Planned, world: World, journal: Journal) -> None:
        self.planned, self.job, self.world, self.journal = planned, planned.job, world, journal
        self.state = TrialState.replay(journal.entries())
        self.interrupted = self.state.session_id is not None and self.state.end is None
        self.reply_ms = 0.0

    @property
    def trial(self) -> Trial:
        """The trial at its current attempt."""
        return self.planned.at(self.state.attempt)

    async def hold(self) -> None:
        """Runs the trial to its end, lets the agent settle, records what it did, and closes the journal."""
        outcome, detail, failures = await self.outcome()
        # However it ended and whatever is observed: what the agent still writes must not reach the next trial.
        await asyncio.sleep(self.job.settle_seconds)
        failed = outcome == "agent_error"
        try:
            observations = await capture(self.trial, self.job, self.state.session_id, self.world, failed)
        except InfrastructureError as error:
            outcome, detail, observations = "infra_error", str(error), []
        await self.note(entries.ended(self.world.now(), outcome, detail, failures, observations))

    async def outcome(self) -> tuple[Outcome, str | None, int]:
        """How the trial ends, why if not regularly, and how many failed attempts of its last request count."""
        limit = self.job.trial_timeout_seconds or self.world.settings.conversations.trial_timeout_seconds
        too_long = f"the trial took longer than {limit:g} s"
        try:
            async with working_time(limit):
                return await self.play(), None, 0
        except TimeoutError:
            return self.culprit(limit), too_long, 0
        except AgentUnusable as error:
            if error.cut_short:
                return "agent_error", too_long, 0
            return "agent_error", str(error), error.failures if self.failures_count() else 0
        except (EvaluatorFault, ModelFailure) as error:
            return "evaluator_error", str(error), 0
        except (InfrastructureError, QueryError) as error:
            return "infra_error", str(error), 0

    def failures_count(self) -> bool:
        """Whether failed attempts at the last request count: before the user speaks, and at a greeting, they do not."""
        return len(self.state.turns) > (0 if self.trial.scenario else 1)

    def culprit(self, limit: float) -> Outcome:
        """Who used up the trial's time: the agent if a reply was due, or if its replies took half of the time.

        The time begins anew with each process, so replies to an earlier one took none of it.
        """
        awaited = not self.state.turns or self.state.turns[-1].speaker == "user"
        return "agent_error" if awaited or self.reply_ms / 1000 >= limit / 2 else "evaluator_error"

    async def play(self) -> Outcome:
        """Plays the trial, and once more from the beginning if an outage of the agent cost it its session."""
        outages = len(self.world.outages)
        try:
            return await self.go_on()
        except AgentUnusable as error:
            if len(self.world.outages) == outages or not error.forgets:
                raise
        return await self.begin()

    async def go_on(self) -> Outcome:
        """Continues an interrupted trial if its session is not lost; else starts from the beginning."""
        if self.interrupted:
            try:
                return await self.resume()
            except SessionLost:
                self.interrupted = False
        return await self.begin()

    async def begin(self) -> Outcome:
        """Plays the trial from the beginning."""
        await self.note(entries.began(self.world.now()))
        if leaves_traces(self.job):
            await self.note(entries.prepares())
        await self.note(entries.session(await prepare(self.trial, self.job, self.world)))
        return await self.talk()

    async def resume(self) -> Outcome:
        """Continues in the session of an earlier process. Raises `SessionLost`."""
        if self.lacks_words():
            raise SessionLost("the journal lacks a secret that was said")
        session = self.state.session_id or ""
        self.world.agent.restore(session, self.state.turns)
        end = await self.talk()
        if self.interrupted and not await knows_session(session, self.world):
            raise SessionLost("nothing was left to say, and what the agent did can no longer be seen")
        return end

    def lacks_words(self) -> bool:
        """Whether agent or user would be told what the journal has blanked: while the conversation is not over."""
        said = self.state.turns
        over = _next_step(said, self.job, self.trial) in ("signed_off", "max_turns")
        return not over and any(BLANK in turn.content for turn in said)

    async def talk(self) -> Outcome:
        """Takes turns until the conversation is over."""
        while True:
            match _next_step(self.state.turns, self.job, self.trial):
                case "open":
                    await self.say(self.opening())
                case "listen":
                    await self.listen()
                case "speak":
                    await self.say(await self.next_message())
                case end:
                    return end

    def opening(self) -> str:
        """The first message: the scenario's input, or a greeting."""
        if self.job.scenarios:
            return self.job.scenario(self.trial.scenario).input
        return seeded_random(self.trial).choice(self.job.greetings)

    async def next_message(self) -> str:
        world, turns = self.world, self.state.turns
        return await next_message(self.job, self.trial, turns, world.model, world.evaluator_model)

    async def say(self, message: str) -> None:
        """Journals a message of the user; the next step, which a resumed trial repeats, sends it."""
        await self.note(entries.said(Turn(len(self.state.turns), "user", message)))

    async def listen(self) -> None:
        """Sends the user's last message and journals the reply."""
        turns, session = self.state.turns, self.state.session_id or ""
        message = turns[-1].content if len(turns) == 1 else without_signoff(turns[-1].content, self.job)
        try:
            delivery = await self.world.ask_through_outage(
                lambda: self.world.agent.send(session, self.trial.user, message), self.trial.user
            )
        except AgentUnusable as error:
            if self.interrupted and error.forgets:
                raise SessionLost(str(error)) from None
            raise
        self.interrupted = False
        self.reply_ms += delivery.response_ms
        reply = delivery.reply
        turn = Turn(len(turns), "agent", reply.content, delivery.response_ms, delivery.attempts, reply.events)
        counted = delivery.failures if self.failures_count() else 0
        await self.note(entries.said(turn, counted, delivery.problem if counted else None))

    async def note(self, entry: Entry) -> None:
        """Applies an entry and journals it. The trial's clock stands still meanwhile: a slow disk is nobody's fault."""
        self.state.apply(entry)
        with queueing():
            await self.journal.append(entry)
        if entry["kind"] == "turn":
            self.world.on_turn(self.trial, self.state.turns[-1])
