"""Records model calls: one line of the journal for each, their total cost, and the ceiling that stops further calls."""

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import fsum
from pathlib import Path
from uuid import uuid4

from stoic_assets.adapters.disk.json_lines import JsonLines, read_lines
from stoic_assets.adapters.models.stand_in import OFFLINE
from stoic_assets.adapters.process.wall_clock import now
from stoic_assets.core.calls.chat import BudgetReached, ChatModel, ChatReply, ChatRequest, charged, was_sent
from stoic_assets.core.calls.model_costs import call_cost
from stoic_assets.core.calls.queueing import slot_of
from stoic_assets.core.configuration.settings import Price
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.secrets.redaction import Redactor
from stoic_assets.core.table_rows import Row
from stoic_assets.core.text.json_text import unfenced

AT_ONCE_UNDER_CEILING = 8
"""Calls whose cost is not known yet: all verdicts are requested at once; unlimited, none would meet the ceiling."""


class Ledger:
    """Passes every request on to `model` and records its result in `file`, the journal.

    An existing file is continued, its `known_calls` and their cost included; calls that had no price yet count at
    today's. `max_cost` is in US dollars; calls in flight may end above it. The cache in front of it records its own
    replies with `note`: the ceiling does not apply to these. `redactor` blanks secrets in errors and in judges'
    replies.
    """

    def __init__(
        self, model: ChatModel, file: Path, prices: Mapping[str, Price], max_cost: float | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        self._model, self._file, self._prices, self._max_cost = model, file, prices, max_cost
        self._book, self._redactor = JsonLines(file), redactor or Redactor(())
        self._uncounted = asyncio.Semaphore(AT_ONCE_UNDER_CEILING)
        known = self.rows()
        self.known_calls, self.total_cost = len(known), fsum(row["cost_usd"] or 0.0 for row in known)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The model's reply.

        Raises `BudgetReached` at the ceiling, `ConfigurationError` if the ceiling cannot be applied, `StorageError`.
        """
        if self._max_cost is None:
            return await self._noted(request)
        async with slot_of(self._uncounted):
            self._require_budget(request.model, self._max_cost)
            reply = await self._noted(request)
            if reply.cost_usd is None or reply.cost_partial:
                raise ConfigurationError(
                    f"{request.model} answers without `usage`, so that no cost ceiling can be kept; leave out "
                    "--max-cost and `max_cost`, or give it a price of 0 in stoic.yml where it costs nothing"
                )
            return reply

    async def _noted(self, request: ChatRequest) -> ChatReply:
        start = time.perf_counter()
        try:
            reply = await self._model.complete(request)
        except BaseException as error:
            if was_sent(error):  # a cancelled call may have been paid for
                latency_ms = (time.perf_counter() - start) * 1000
                self.note(request, replace(charged(error), latency_ms=latency_ms), str(error) or type(error).__name__)
            raise
        self.note(request, reply)
        return self._without_secrets(request, reply) if request.role == "judge" else reply

    def _without_secrets(self, request: ChatRequest, reply: ChatReply) -> ChatReply:
        """The judge's reply as it is kept, and sent back when it is malformed: a server may repeat what it was sent."""
        return replace(reply, text=self._redactor.reply(unfenced(reply.text), request.words))

    def note(self, request: ChatRequest, reply: ChatReply, error: str | None = None) -> None:
        """Records one call. Raises `StorageError`."""
        self.total_cost += reply.cost_usd or 0.0
        if reply.cost_partial and error is None:  # of a failed call the known part is kept
            reply = replace(reply, prompt_tokens=None, completion_tokens=None, cost_usd=None)
        row = {
            "call_id": str(uuid4()), "trial_id": request.trial_id, "role": request.role, "model": request.model,
            "served_model": reply.served_model, "cached": reply.cached, "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens, "cost_usd": reply.cost_usd, "latency_ms": reply.latency_ms,
            "error": error, "time": now(),
        }
        self._book.write({"call": self._redactor.row(row)})

    async def sync(self) -> None:
        """Returns when all calls so far would survive a power cut. Raises `StorageError`.

        A message of the user needs no such wait: its turn is journalled after the call, in the same file, and syncing
        it syncs the call too.
        """
        await self._book.sync()

    def rows(self) -> list[Row]:
        """Every call so far, in the order of their ends; the columns of `llm_calls` that the call itself knows."""
        return calls_in(self._file, self._prices)

    def _require_budget(self, model: str, max_cost: float) -> None:
        require_prices([model], self._prices)
        if self.total_cost >= max_cost:
            raise BudgetReached(
                f"the cost ceiling of {max_cost:g} USD is reached; continue with a higher one (--max-cost)"
            )


def calls_in(file: Path, prices: Mapping[str, Price]) -> list[Row]:
    """See `Ledger.rows`; for callers that call no model. A call that had no price yet costs what it would today."""
    unknown = {"trial_id": None, "served_model": None}  # what earlier releases did not note
    return [_priced(unknown | line["call"], prices) for line in read_lines(file, "call")]


def _priced(call: Row, prices: Mapping[str, Price]) -> Row:
    if call["cost_usd"] is not None:
        return call
    cost = call_cost(prices.get(call["model"]), call["prompt_tokens"], call["completion_tokens"])
    return {**call, "cost_usd": cost}


def require_prices(models: Iterable[str], prices: Mapping[str, Price]) -> None:
    """Raises `ConfigurationError`, naming all models whose cost is unknown, so that no ceiling can be applied."""
    if unpriced := [model for model in dict.fromkeys(models) if model != OFFLINE and model not in prices]:
        named = " and of ".join(unpriced)
        raise ConfigurationError(f"a cost ceiling needs the price of {named}: add it under `prices` in stoic.yml")
