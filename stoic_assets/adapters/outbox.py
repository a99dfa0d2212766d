"""What leaves for other services, at least once: every message is a file until its service took it.

    <home>/outbox/pending/<target>/<id>.json     waits, or was refused
    <home>/outbox/delivered/<target>/<id>.json   the service answered 2xx at `delivered_at`

What stands in a message is the business of `core/evolution`. A message moves while `lock` is held, so that one that is
replaced or deleted while it travels is neither lost nor resurrected; whoever delivers to a target holds its own lock.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from filelock import AsyncFileLock, Timeout

from stoic_assets.adapters.file_locks import locked
from stoic_assets.adapters.files import write_together, write_whole
from stoic_assets.adapters.receiver import LIMIT, SETTINGS, TARGETS, MessageRefused, Receiver, Target, receiver
from stoic_assets.adapters.wall_clock import now
from stoic_assets.core.errors import AttemptFailed, ConfigurationError
from stoic_assets.core.settings import EndpointLimit

LONGEST_NAME = 180
"""Characters of a file name; file systems allow 255 bytes, and a temporary name is longer."""
Outcome = tuple[dict[str, str], list[str]]
"""The messages that were delivered, as in `Delivered.taken`, and what went wrong."""


@dataclass(frozen=True)
class Message:
    """One file. `order` is when it was put there, in nanoseconds."""

    id: str
    agent_version: str
    order: int
    body: dict[str, Any]
    delivered_at: str | None = None

    def says_the_same(self, other: "Message") -> bool:
        """Whether both carry the same content for the same version."""
        return (self.agent_version, self.body) == (other.agent_version, other.body)


@dataclass(frozen=True)
class Delivered:
    """How a delivery went: messages delivered now, messages that wait still (for want of an address, too), and why.

    `taken` are those delivered now: the agent version of each by its id.
    """

    delivered: int
    pending: int
    errors: tuple[str, ...] = ()
    taken: Mapping[str, str] = field(default_factory=dict, compare=False)


class Outbox:
    """All messages of a `STOIC_HOME`. Any number of processes may use it at once."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "outbox"

    def put(self, target: Target, bodies: Mapping[str, Mapping[str, Any]], agent_version: str) -> None:
        """Stores messages, by their ids, for delivery; not those that wait as they are or were delivered already.

        Another content under the same id takes the place of the former one and is delivered again. Raises
        `StorageError`.
        """
        order = time.time_ns()
        texts = {
            self._path("pending", target, each): _text(Message(each, agent_version, order + position, dict(body)))
            for position, (each, body) in enumerate(bodies.items())
        }
        with self._locked():
            fresh = {path: text for path, text in texts.items() if not self._holds(target, path, text)}
            if fresh:
                write_together(self._folder / "pending" / target, {path.name: text for path, text in fresh.items()})

    def _holds(self, target: Target, pending: Path, text: str) -> bool:
        """Whether the message waits as it is, or was delivered so and no other waits."""
        last = _read(pending if pending.exists() else self._folder / "delivered" / target / pending.name)
        return last is not None and last.says_the_same(Message(**json.loads(text)))

    def delivered_at(self, target: Target, message_id: str) -> str | None:
        """When the service took the message as it stands now (ISO 8601, UTC); None while it waits."""
        if self._path("pending", target, message_id).exists():
            return None
        message = _read(self._path("delivered", target, message_id))
        return message.delivered_at if message else None

    def delete(self, agent_version: str) -> None:
        """Removes every message of a version, delivered or not."""
        with self._locked():
            for path in self._folder.glob("*/*/*.json"):
                message = _read(path)
                if message and message.agent_version == agent_version:
                    path.unlink()

    async def deliver(
        self, targets: Mapping[Target, str], limit: EndpointLimit = LIMIT, seconds: float = 60.0
    ) -> Delivered:
        """Sends what waits, each target in the order of `put`, one message after the other.

        `targets` maps to addresses; a target without one is left waiting. It ends after about `seconds`: what could
        not be sent by then, or was refused, waits for the next delivery and is no error of the evaluation.
        """
        ways = [self._deliver_to(target, url, limit, seconds) for target, url in targets.items() if url]
        outcomes = await asyncio.gather(*ways)
        pending = sum(len(self._files("pending", target)) for target in TARGETS)
        errors = dict.fromkeys(error for _, problems in outcomes for error in problems)
        taken = {key: version for each, _ in outcomes for key, version in each.items()}
        return Delivered(sum(len(each) for each, _ in outcomes), pending, tuple(errors), taken)

    async def _deliver_to(self, target: Target, url: str, limit: EndpointLimit, seconds: float) -> Outcome:
        if not self._files("pending", target):
            return {}, []
        try:
            async with (
                receiver(target, url, limit, seconds) as service,
                AsyncFileLock(self._folder / f"{target}.lock", timeout=seconds),
            ):
                return await self._send_all(target, service)
        except ConfigurationError as error:
            return {}, [str(error)]
        except Timeout:
            return {}, [f"{SETTINGS[target]}: another process has been delivering to it for {seconds:g} s"]

    async def _send_all(self, target: Target, service: Receiver) -> Outcome:
        taken: dict[str, str] = {}
        problems = []
        for path in self._in_order(target):
            message = _read(path)
            if message is None:
                if path.exists():  # else it was deleted meanwhile
                    problems.append(f"{path} is damaged; remove it and materialise fitness_updates again")
                continue
            try:
                await service.take(message.id, message.body)
            except MessageRefused as refusal:
                problems.append(str(refusal))
                continue
            except AttemptFailed as failure:
                problems.append(str(failure))
                break  # what follows must not overtake this one, and would fare no better
            self._settle(target, path, message)
            taken[message.id] = message.agent_version
        return taken, problems

    def _settle(self, target: Target, path: Path, sent: Message) -> None:
        """Moves a message that was taken, unless it was replaced or deleted on the way."""
        taken = replace(sent, delivered_at=now())
        with self._locked():
            if _read(path) == sent:
                _write(self._path("delivered", target, sent.id), taken)
                path.unlink()

    def _in_order(self, target: Target) -> list[Path]:
        """The files that wait, oldest first; a damaged one cannot tell its age and comes before all."""
        ages = {path: message.order if (message := _read(path)) else 0 for path in self._files("pending", target)}
        return sorted(ages, key=lambda path: (ages[path], path))

    def _files(self, state: str, target: Target) -> list[Path]:
        return list((self._folder / state / target).glob("*.json"))

    def _path(self, state: str, target: Target, message_id: str) -> Path:
        name = quote(message_id, safe=" @+,=")
        if len(name) > LONGEST_NAME:
            name = f"{name[:100]}~{hashlib.sha256(message_id.encode()).hexdigest()}"
        return self._folder / state / target / f"{name}.json"

    def _locked(self) -> AbstractContextManager[None]:
        return locked(self._folder / "lock")


def _read(path: Path) -> Message | None:
    """The message of a file; None where there is none that can be read."""
    try:
        return Message(**json.loads(path.read_bytes()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _write(path: Path, message: Message) -> None:
    write_whole(path, _text(message))


def _text(message: Message) -> str:
    return json.dumps(vars(message), indent=1, allow_nan=False)
