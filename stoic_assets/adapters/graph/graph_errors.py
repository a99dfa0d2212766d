"""What an error of the neo4j driver means for an evaluation, and its one line of text.

Either Stoic Eval's side failed (`InfrastructureError`: the trial is invalid) or the query did (`QueryError`: its
assertion or setup failed). At the start it is `ServiceUnreachable`, which names the setting to correct.
"""

import re
import ssl

from stoic_assets.adapters.http.endpoint import untrusted
from stoic_assets.adapters.http.foreign_text import shortened
from stoic_assets.core.assertions.cypher_script import names_graph
from stoic_assets.core.configuration.graph_address import GraphAddress
from stoic_assets.core.errors import InfrastructureError, QueryError, ServiceUnreachable, StoicError

_NO_DATABASE = "DatabaseNotFound"
_TOO_SLOW = "TransactionTimedOut"
_OUT_OF_MEMORY = ("MemoryPoolOutOfMemory", "TransactionOutOfMemory")
_OWN_MEMORY = ("TransactionOutOfMemory", "db.memory.transaction.max")
_ENDED = ("Transaction.Terminated", "Transaction.LockClientStopped")
_SERVER_FAILED = "Neo.DatabaseError."
_UNNAMED = "Neo.DatabaseError.General.UnknownError"
_ROOM = "run fewer trials at once, or raise the server's dbms.memory.transaction.total.max"
_UNEXPLAINED = "Error executing Cypher command"
_SCHEMA, _EXISTS = "Neo.ClientError.Schema.", "AlreadyExists"
_PLACE = re.compile(r"\(line (\d+), column (\d+) \(offset: \d+\)\)")
_NO_DATA_THERE = ".Statement."
_LONGEST_LINE = 300


def meaning(error: Exception, address: GraphAddress, cypher: str, preceding: str = "") -> StoicError:
    """The error to raise when this query, sent with `preceding` before it, met an error of the driver or the server."""
    from neo4j.exceptions import AuthError, BrokenRecordError, DriverError

    if isinstance(error, BrokenRecordError):  # for example a date before the year 1, which agents do write
        return QueryError(f"a returned value cannot be read ({error.__cause__}): return toString(…) of it")
    if is_crowded_out(error):
        return InfrastructureError(f"the graph at {address.uri} had no memory left beside all that runs there: {_ROOM}")
    if _is_out_of_memory(error):
        return QueryError("the query needs more memory than the server has; reduce what it reads or returns")
    is_gone = _NO_DATABASE in _code(error) and not names_graph(cypher)
    if isinstance(error, DriverError | AuthError) or is_gone or may_pass(error, address):
        return InfrastructureError(f"the graph at {address.uri} failed: {one_line(error)}")
    if _TOO_SLOW in _code(error):
        return QueryError("the query took longer than its limit: make it cheaper or raise the limit")
    return QueryError(one_line(error, preceding))


def may_pass(error: BaseException, address: GraphAddress) -> bool:
    """Whether the graph failed a query that only reads, so that it may succeed when asked again.

    It may not where the embedded server was lost: this query may have ended it, and would do so again.
    """
    if is_lost_connection(error):
        return bool(address.variables) or is_refused_connection(error)
    return _is_transient(error) or was_ended(error) or _server_failed(error, address)


def was_ended(error: BaseException) -> bool:
    """Whether somebody else ended the query, for example an administrator."""
    return _code(error).endswith(_ENDED)


def is_crowded_out(error: BaseException) -> bool:
    """Whether the memory that all queries of the server share is used up, and not what one of them may use."""
    return _is_out_of_memory(error) and not any(sign in f"{_code(error)} {error}" for sign in _OWN_MEMORY)


def _is_transient(error: BaseException) -> bool:
    from neo4j.exceptions import TransientError

    return isinstance(error, TransientError) and (is_crowded_out(error) or not _is_out_of_memory(error))


def _is_out_of_memory(error: BaseException) -> bool:
    return any(limit in _code(error) for limit in _OUT_OF_MEMORY)


def _server_failed(error: BaseException, address: GraphAddress) -> bool:
    # The embedded server calls so any error of a query for which it has no better name.
    is_querys_fault = _code(error) == _UNNAMED and not address.variables
    return _code(error).startswith(_SERVER_FAILED) and not is_querys_fault


def is_lost_connection(error: BaseException) -> bool:
    """Whether the server may have gone."""
    from neo4j.exceptions import ServiceUnavailable, SessionExpired

    return isinstance(error, ServiceUnavailable | SessionExpired)


def is_refused_connection(error: BaseException | None) -> bool:
    """Whether no connection could be opened, so that nothing was executed; also of an error that this one caused."""
    while error is not None and not isinstance(error, ConnectionRefusedError):
        error = error.__cause__
    return error is not None


def is_conflict(error: BaseException) -> bool:
    """Whether the same write may succeed when tried again.

    A ConstraintError too: ArcadeDB raises it for the losers of a concurrent MERGE, where Neo4j waits for a lock. Also
    an unexplained failure: it is what two statements get that use a label for the first time at the same moment. And
    an index or a constraint that exists: IF NOT EXISTS may have looked just before another statement made it.
    """
    from neo4j.exceptions import ConstraintError

    named = _UNEXPLAINED in str(error) or (_SCHEMA in _code(error) and _code(error).endswith(_EXISTS))
    return named or isinstance(error, ConstraintError) or _is_transient(error)


def is_temporary(error: BaseException) -> bool:
    """Whether a write that may run twice is worth another try."""
    return is_conflict(error) or is_lost_connection(error)


def unreachable(error: Exception, address: GraphAddress) -> ServiceUnreachable:
    """Why a graph cannot be used, and which setting to correct."""
    from neo4j.exceptions import AuthError

    prefix = address.variables
    if not prefix:
        return ServiceUnreachable(
            f"the embedded graph does not answer ({one_line(error)}): run stoic graph --stop and retry"
        )
    if isinstance(error, AuthError):
        return ServiceUnreachable(f"{address.uri} refused the login: correct {prefix}_USERNAME and {prefix}_PASSWORD")
    if _NO_DATABASE in _code(error):
        return ServiceUnreachable(f"{address.uri} has no database {address.database}: correct {prefix}_DATABASE")
    if _NO_DATA_THERE in _code(error):  # the database `system` refuses to be asked for a number
        which = f"the database {address.database}" if address.database else "the default database"
        return ServiceUnreachable(f"{which} of {address.uri} holds no data: name another in {prefix}_DATABASE")
    if why := _certificate_error(error):
        scheme = address.uri.partition("+")[0]
        other = f"write {prefix}_URI with {scheme}+ssc, which trusts every certificate"
        return ServiceUnreachable(f"{untrusted(address.uri, why)}, or {other}")
    return ServiceUnreachable(f"{address.uri} does not answer ({one_line(error)}): start it or correct {prefix}_URI")


def _code(error: BaseException) -> str:
    """The server's status code, such as Neo.ClientError.Statement.SyntaxError; empty for the driver's own errors."""
    return str(getattr(error, "code", None) or "")


def one_line(error: BaseException, preceding: str = "") -> str:
    """Status code and message in one line of bounded length; where Neo4j gives a place in the query, it is the end.

    The place counts from the beginning of what followed `preceding`.
    """
    said = getattr(error, "message", None) or str(error) or type(error).__name__
    place = _PLACE.search(said)
    text = " ".join(said[: place.start() if place else None].split())
    end = _place(place, preceding) if place else ""
    return shortened(f"{_code(error)}: {text}" if _code(error) else text, _LONGEST_LINE - 1 - len(end)) + end


def _place(found: re.Match[str], preceding: str) -> str:
    line, column = int(found[1]), int(found[2])
    return f" (line {line}, column {column - len(preceding) if line == 1 else column})"


def _certificate_error(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    """Why TLS failed, if a certificate that is not trusted led to this error; routing groups the errors of servers."""
    while error is not None and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.exceptions[0] if isinstance(error, BaseExceptionGroup) else error.__cause__
    return error
