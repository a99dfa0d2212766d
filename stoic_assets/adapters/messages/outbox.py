"""Messages to other services, delivered at least once: a message waits here until its service accepts it, then stays.

`core/evolution` defines the content of messages.
"""

import asyncio
import json
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from filelock import Timeout

from stoic_assets.adapters.disk.file_locks import locked_async
from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.messages import outbox_file
from stoic_assets.adapters.messages.outbox_file import ACCEPTED, REFUSED, Outcome
from stoic_assets.adapters.messages.receiver import LIMIT, SETTINGS, MessageRefused, Receiver, Target, receiver
from stoic_assets.adapters.process.wall_clock import now
from stoic_assets.core.configuration.endpoint_limits import EndpointLimit
from stoic_assets.core.errors import AttemptFailed, ConfigurationError

Sent = tuple[int, list[str]]
"""How many messages were delivered, and what went wrong."""
NO_SECRETS: Mapping[Target, str] = {}
_REFUSED = timedelta(hours=1)
"""So long no delivery is made for an alert alone that was refused: each sends everything else that was refused too."""
_UNSETTLED = 100
"""Messages that were accepted or refused and are not recorded, at most."""
_SETTLED_EVERY = 0.5
"""Seconds after which the next message that is accepted or refused is recorded, with those before it."""


@dataclass(frozen=True)
class Delivered:
    """The result of a delivery: messages delivered now, those still waiting (also for lack of an address), and why."""

    delivered: int
    pending: int
    errors: tuple[str, ...] = ()


def errors_of(deliveries: Iterable[Delivered]) -> list[str]:
    """What went wrong in any of several deliveries, each once."""
    return list(dict.fromkeys(error for each in deliveries for error in each.errors))


class Outbox:
    """All messages of a `STOIC_HOME`. Any number of processes may use it at once.

    A process that delivers to a target holds its lock. All methods raise `StorageError`.
    """

    def __init__(self, home: Path) -> None:
        self._folder = home / "outbox"
        self._file = self._folder / "messages.sqlite"

    def put(self, target: Target, bodies: Mapping[str, Mapping[str, Any]], agent_version: str) -> None:
        """Stores messages, by id, for delivery; skips those that already wait or were delivered with the same content.

        Different content under the same id replaces the earlier message and is delivered again.
        """
        shared = {"target": target, "agent_version": agent_version}
        rows = [shared | {"id": each, "body": json.dumps(body, allow_nan=False)} for each, body in bodies.items()]
        with self._storage() as messages:
            messages.executemany(outbox_file.PUT, rows)

    def delivery_times(self, target: Target, ids: Collection[str]) -> dict[str, str | None]:
        """When the service accepted each message in its present content (ISO 8601, UTC); None while it waits."""
        with self._storage() as messages:
            return dict.fromkeys(ids) | dict(messages.execute(outbox_file.TIMES, [target, json.dumps(list(ids))]))

    def unnoted(self) -> dict[str, dict[str, int]]:
        """Accepted messages whose times are recorded only here: for each agent version, by id, what `noted` takes."""
        found = defaultdict[str, dict[str, int]](dict)
        with self._storage() as messages:
            for version, message, position in messages.execute(outbox_file.UNNOTED):
                found[version][message] = position
        return found

    def noted(self, positions: Iterable[int]) -> None:
        """Messages whose times are recorded elsewhere too, or whose times nobody needs, are `unnoted` no more."""
        with self._storage() as messages:
            messages.execute(outbox_file.NOTED, [json.dumps(list(positions))])

    def newest(self, target: Target, message_id: str) -> dict[str, Any] | None:
        """The newest content that was put under an id, delivered or not; None if there is none."""
        with self._storage() as messages:
            found = messages.execute(outbox_file.NEWEST, [target, message_id]).fetchone()
        return self._content(found[0]) if found else None

    def withdraw(self, target: Target, ids: Collection[str], agent_version: str) -> None:
        """Removes those of a version's messages that still wait."""
        with self._storage() as messages:
            messages.executemany(outbox_file.WITHDRAW, [(target, each, agent_version) for each in ids])

    def delete(self, agent_version: str) -> None:
        """Removes every message of a version, delivered or not."""
        with self._storage() as messages:
            messages.execute(outbox_file.DELETE, [agent_version])
        with self._storage() as messages:
            messages.execute("vacuum")  # else the file keeps their text in its free space

    async def deliver(
        self, targets: Mapping[Target, str], limit: EndpointLimit = LIMIT, seconds: float = 60.0,
        secrets: Mapping[Target, str] = NO_SECRETS,
    ) -> Delivered:
        """Sends what waits to each target, alerts first, else in the order of `put`, one message after the other.

        `targets` maps to addresses; messages to a target without one keep waiting. `secrets` are their signing keys. It
        ends after about `seconds`: what could not be sent by then, or was refused, waits for the next delivery and is
        no error of the evaluation. What was refused once is sent after everything that never was.
        """
        ways = [
            self._deliver_to(target, receiver(target, url, limit, seconds, secrets.get(target, "")), seconds)
            for target, url in targets.items()
            if url and self._waiting(target)
        ]
        outcomes = await asyncio.gather(*ways)
        errors = dict.fromkeys(error for _, problems in outcomes for error in problems)
        return Delivered(sum(count for count, _ in outcomes), sum(self.waiting().values()), tuple(errors))

    def waiting(self) -> dict[Target, int]:
        """How many messages wait for each target, without targets for which none waits."""
        with self._storage() as messages:
            return dict(messages.execute(outbox_file.NUMBERS_WAITING))

    def has_alerts(self) -> bool:
        """Whether an alert waits that was not refused within the last hour."""
        refused_before = (datetime.now(UTC) - _REFUSED).isoformat()
        with self._storage() as messages:
            return bool(messages.execute(outbox_file.ALERTS_WAIT, [refused_before]).fetchone()[0])

    async def _deliver_to(
        self, target: Target, opened: AbstractAsyncContextManager[Receiver], seconds: float
    ) -> Sent:
        try:
            async with opened as service, locked_async(self._folder / f"{target}.lock", wait=seconds):
                return await self._send_all(target, service)
        except ConfigurationError as error:
            return 0, [str(error)]
        except Timeout:
            return 0, [f"{SETTINGS[target]}: another process has been delivering to it for {seconds:g} s"]

    async def _send_all(self, target: Target, service: Receiver) -> Sent:
        accepted, problems = 0, list[str]()
        with self._settling() as settle:
            for position in self._waiting(target):
                if (waiting := self._message(position)) is None:
                    continue
                message, body = waiting
                try:
                    content = self._content(body)
                    await service.take(content.get("idempotency_key", message), content)
                except MessageRefused as refusal:
                    problems.append(str(refusal))
                    settle(REFUSED, position)
                    continue
                except (AttemptFailed, ConfigurationError) as failure:
                    problems.append(str(failure))
                    break  # later messages must not overtake this one, and would fail as well
                settle(ACCEPTED, position)
                accepted += 1
        return accepted, problems

    def _waiting(self, target: Target) -> list[int]:
        """The positions of waiting messages: alerts and then others that were never refused, then the refused ones.

        Of these, the one refused longest ago comes first: otherwise those that are refused each time would take all the
        time, and no later one would ever be sent.
        """
        with self._storage() as messages:
            return [position for (position,) in messages.execute(outbox_file.WAITING, [target])]

    def _message(self, position: int) -> tuple[str, str] | None:
        """Id and body; None if it was replaced or deleted meanwhile."""
        with self._storage() as messages:
            found: tuple[str, str] | None = messages.execute(outbox_file.AT_POSITION, [position]).fetchone()
            return found

    def _content(self, body: str) -> dict[str, Any]:
        """The content of a stored body."""
        try:
            return dict(json.loads(body))
        except (ValueError, TypeError):
            raise StorageError(f"{self._file} is damaged; it may be deleted{outbox_file.IF_LOST}") from None

    @contextmanager
    def _settling(self) -> Iterator[Callable[[Outcome, int], None]]:
        """What is to be called for each message that was accepted or refused; all are recorded in the end.

        Until then several are recorded together, as a kill makes those sent again that were not recorded: each by
        itself is a sync of the disk, which took nine tenths of the time of a delivery.
        """
        settled: list[tuple[Outcome, dict[str, object]]] = []
        recorded = time.monotonic()

        def settle(outcome: Outcome, position: int) -> None:
            nonlocal recorded
            settled.append((outcome, {"time": now(), "position": position}))
            if len(settled) == _UNSETTLED or time.monotonic() - recorded >= _SETTLED_EVERY:
                self._settle(settled)
                settled.clear()
                recorded = time.monotonic()

        try:
            yield settle
        finally:
            self._settle(settled)

    def _settle(self, settled: Sequence[tuple[Outcome, dict[str, object]]]) -> None:
        """Records when messages were accepted or refused, by position, unless replaced or deleted on the way."""
        if settled:
            with self._storage() as messages:
                for outcome, when_and_where in settled:
                    for statement in outcome:
                        messages.execute(statement, when_and_where)

    def _storage(self) -> AbstractContextManager[sqlite3.Connection]:
        return outbox_file.stored_messages(self._file)


def fitness_message(agent_version: str, evaluation_id: str) -> str:
    """The id of the message about an evaluation's fitness: a later update replaces an earlier one."""
    return f"{agent_version} {evaluation_id}"
