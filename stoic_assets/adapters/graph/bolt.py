"""A graph behind the official neo4j driver, Neo4j or the embedded server: the only path by which queries are sent.

A Graph is made before the first event loop and may serve several loops. Results are returned as JSON values
(`graph_values.py`), errors as our own (`graph_errors.py`).
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

from stoic_assets.adapters.graph import bolt_retries, graph_errors
from stoic_assets.adapters.graph.bolt_sessions import CONNECT_SECONDS, BoltServer, BoltSessions
from stoic_assets.adapters.graph.graph_values import TOO_DEEP, encoded_row
from stoic_assets.adapters.graph.overdue_queries import end_overdue
from stoic_assets.core.assertions.cypher_aggregates import OVERLOOKED, overlooks_aggregate
from stoic_assets.core.assertions.cypher_script import only_looks, query_problem, statements
from stoic_assets.core.configuration.graph_address import GraphAddress
from stoic_assets.core.errors import InfrastructureError, QueryError

if TYPE_CHECKING:
    from neo4j import AsyncResult, Query

Rows = list[dict[str, Any]]
Parameters = Mapping[str, Any]

_WRITES = "the query writes, and an assertion may only read the graph"
_EXPLAIN = "EXPLAIN "
_PING_SECONDS = 10.0
_WRITE_SECONDS = 60.0  # one of our statements has at most 500 rows and takes about a second: then the server hangs


class Graph:
    """The database at `address`; nothing is opened before its first use.

    `observer` is the same database for an account that may only read. `find_again` returns where both are after the
    connection was lost; it may block. The methods need a running event loop; several may run at once.
    """

    def __init__(
        self, address: GraphAddress, observer: GraphAddress | None = None,
        find_again: Callable[[], BoltServer] | None = None,
    ) -> None:
        self._sessions = BoltSessions(BoltServer(address, observer), find_again)

    async def observe(self, cypher: str, parameters: Parameters, seconds: float, max_rows: int) -> Rows:
        """The rows of a job's query, which cannot change the graph: reading account, READ mode, always rolled back.

        It is sent again, with as many seconds, if the graph failed it. Raises `QueryError` when the query is wrong,
        writes, takes longer than `seconds` or has more than `max_rows` rows; `InfrastructureError` when the graph is
        at fault.
        """
        if problem := query_problem(cypher):
            raise QueryError(problem)
        [cypher] = statements(cypher)  # the embedded server takes anything after a semicolon for a write
        if self._sessions.server.observer and overlooks_aggregate(cypher):
            raise QueryError(OVERLOOKED)
        policy = bolt_retries.of_reading(self._sessions.server.address, seconds)
        with self._errors_translated(cypher):
            return await policy(self._observe_in_time, cypher, parameters, seconds, max_rows)

    async def explain(self, cypher: str) -> None:
        """Has the server read a job's query without running it; one that itself shows how it is executed is left out.

        Raises `QueryError` when it refuses the query whatever the graph contains (syntax, unknown names) or, on Neo4j,
        when the query writes; `InfrastructureError` when the graph is at fault.
        """
        if problem := query_problem(cypher):
            raise QueryError(problem)
        [statement] = statements(cypher)
        if only_looks(statement):  # a PROFILE runs, and EXPLAIN cannot stand before another
            return
        try:
            async with asyncio.timeout(_PING_SECONDS):
                with self._errors_translated(cypher, _EXPLAIN):
                    writes = "w" in await self._explained(statement)
                    # ArcadeDB, embedded or not, calls every EXPLAIN a write.
                    writes = writes and "w" not in await self._explained("RETURN 1")
        except TimeoutError:
            raise InfrastructureError(f"the graph at {self._sessions.server.address.uri} does not answer") from None
        if writes:
            raise QueryError(_WRITES)

    async def _explained(self, statement: str) -> str:
        """The kind of query that a statement is; as with `observe`, nothing that it writes could be kept."""
        from neo4j import READ_ACCESS

        async with (
            self._sessions.open(reading=True, default_access_mode=READ_ACCESS) as session,
            await session.begin_transaction(timeout=_PING_SECONDS) as transaction,
        ):
            return (await (await transaction.run(_EXPLAIN + statement)).consume()).query_type or ""

    async def run_script(self, script: str, parameters: Parameters, seconds: float) -> None:
        """Runs the statements of a setup in order, each in a transaction of its own, in `seconds` all together.

        A statement that met a concurrent write is tried again, unless it commits in parts. Where no connection could be
        opened, what is left is tried once more, with as many seconds. Raises `QueryError`, which gives the statement's
        number, or `InfrastructureError`. The embedded server may still finish a statement that ran out of time.
        """
        left = statements(script)
        count = len(left)
        try:
            await bolt_retries.of_script()(self._run_all, left, parameters, seconds)
        except QueryError as error:
            raise QueryError(f"statement {count - len(left) + 1} of {count}: {error}") from error

    async def write(self, cypher: str, parameters: Parameters | None = None) -> Rows:
        """Runs one of our own statements in a transaction; it must be safe to run twice (MERGE on ids).

        Conflicts with concurrent writes and lost connections are tried again for 30 seconds, a server that does not
        answer within 60 counts as lost; then, or for any other reason, it raises `InfrastructureError` or `QueryError`.
        """
        with self._errors_translated(cypher):
            return await bolt_retries.of_write()(self._write_once, cypher, parameters or {})

    async def ping(self) -> None:
        """Raises `ServiceUnreachable`, which names the setting to correct, unless the database answers."""
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            async with asyncio.timeout(_PING_SECONDS):
                await self._answer()
        except (DriverError, Neo4jError, TimeoutError) as error:
            raise graph_errors.unreachable(error, self._sessions.server.address) from error

    async def aclose(self) -> None:
        """Closes the connections of the running loop before the loop does; the next call opens others."""
        await self._sessions.close()

    async def _observe_in_time(self, cypher: str, parameters: Parameters, seconds: float, max_rows: int) -> Rows:
        from neo4j.exceptions import Neo4jError

        await self._sessions.ensure_found()
        began = time.monotonic()
        overdue = QueryError(f"the query took longer than {seconds:g} s: make it cheaper or raise the limit")
        try:
            async with asyncio.timeout(seconds + 1):  # a server that obeys the time-out itself gives a better message
                return await self._observe(cypher, parameters, seconds, max_rows)
        except TimeoutError:
            await self._confirm_answering(overdue=cypher, seconds=seconds)
            raise overdue from None
        except Neo4jError as error:  # the same query of another trial, once overdue, has this one ended beside it
            if graph_errors.was_ended(error) and time.monotonic() - began >= seconds:
                raise overdue from error
            raise

    async def _observe(self, cypher: str, parameters: Parameters, seconds: float, max_rows: int) -> Rows:
        from neo4j import READ_ACCESS
        from neo4j.exceptions import DriverError, Neo4jError

        settings = {"default_access_mode": READ_ACCESS, "fetch_size": max_rows + 1}
        async with self._sessions.open(reading=True, **settings) as session:
            transaction = await session.begin_transaction(timeout=seconds)
            try:
                result = await _run(transaction, cypher, parameters)
                rows = await _bounded_rows(result, max_rows)
                # The embedded server would refuse some changes only at the commit, which never happens.
                # It reports EXPLAIN and PROFILE as writes too.
                if "w" in ((await result.consume()).query_type or "") and not only_looks(cypher):
                    raise QueryError(_WRITES)
                return rows
            except (QueryError, RecursionError):
                transaction.cancel()  # for a rollback the server would first compute all the rows that nobody reads
                raise
            finally:
                with suppress(DriverError, Neo4jError):
                    await transaction.rollback()

    async def _run_all(self, left: list[str], parameters: Parameters, seconds: float) -> None:
        """Runs these statements in `seconds`, and takes out of the list what was executed."""
        await self._sessions.ensure_found()
        try:
            async with asyncio.timeout(seconds):
                while left:
                    with self._errors_translated(left[0]):
                        await bolt_retries.of_setup(left[0])(self._run_once, left[0], parameters, seconds)
                    del left[0]
        except TimeoutError:
            await self._confirm_answering()
            advice = "join statements, as with UNWIND, or raise conversations.query_timeout_seconds"
            raise QueryError(f"the script took over {seconds:g} s: {advice}") from None

    async def _run_once(self, statement: str, parameters: Parameters, seconds: float) -> None:
        from neo4j import Query

        async with self._sessions.open() as session:
            await (await _run(session, Query(statement, timeout=seconds), parameters)).consume()

    async def _write_once(self, cypher: str, parameters: Parameters) -> Rows:
        async with (
            self._sessions.answering_within(_WRITE_SECONDS),
            self._sessions.open() as session, await session.begin_transaction() as transaction,
        ):
            rows = [encoded_row(record) async for record in await _run(transaction, cypher, parameters)]
            await transaction.commit()
            return rows

    async def _answer(self) -> None:
        async with self._sessions.open() as session:
            await (await session.run("RETURN 1")).consume()

    async def _confirm_answering(self, overdue: str = "", seconds: float = 0) -> None:
        """Blames a slow query on its author, a server that no longer answers on the graph. Ends the `overdue` query."""
        from neo4j.exceptions import DriverError, Neo4jError

        server = self._sessions.server
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await self._answer()
                if overdue and server.observer:
                    async with self._sessions.open() as session:
                        await end_overdue(session, server.observer.username or "", overdue, seconds)
        except (DriverError, Neo4jError, TimeoutError):
            self._sessions.note_loss()
            raise InfrastructureError(f"the graph at {server.address.uri} no longer answers") from None

    @contextmanager
    def _errors_translated(self, cypher: str, preceding: str = "") -> Iterator[None]:
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            yield
        except (DriverError, Neo4jError) as error:
            raise graph_errors.meaning(error, self._sessions.server.address, cypher, preceding) from error
        except RecursionError:  # of the driver, which reads what is nested by calling itself
            raise QueryError(TOO_DEEP) from None


async def _run(runner: Any, query: "str | Query", parameters: Parameters) -> "AsyncResult":
    """Runs a query in a session or a transaction; parameters are encoded here, so that its errors are clear."""
    try:
        return cast("AsyncResult", await runner.run(query, dict(parameters)))
    except (TypeError, ValueError, OverflowError) as error:
        raise QueryError(f"a parameter cannot be sent to a graph: {error}") from error


async def _bounded_rows(result: "AsyncResult", max_rows: int) -> Rows:
    rows: Rows = []
    async for record in result:
        if len(rows) == max_rows:
            raise QueryError(f"the query returned more than {max_rows} rows: count, limit or aggregate them")
        rows.append(encoded_row(record))
    return rows
