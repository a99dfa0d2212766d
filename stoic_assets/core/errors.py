"""The one tree of errors; those of a single subject are defined in its module.

Every message is one line that says what is wrong and what to do next.
Commands turn an error into its line and its `exit_code`; a traceback is shown only with --verbose.
"""

from collections.abc import Iterator


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, its cause, and so on; where Dagster raises an error again, the causes form a circle."""
    seen: list[BaseException] = []
    while error and error not in seen:
        yield error
        seen.append(error)
        error = error.__cause__ or error.__context__


class StoicError(Exception):
    """Anything this product reports to its user on purpose."""

    exit_code = 2
    says_how_to_go_on = False
    """Whether the message itself says what to do about the evaluation that it ends; else the command adds that."""


class ConfigurationError(StoicError):
    """A setting, a job, a manifest or an argument is wrong."""


class NothingYet(ConfigurationError):
    """There is nothing to work on: no fault of a run that nobody started for this alone."""


class Busy(ConfigurationError):
    """Another process does the same, or what excludes it."""

    says_how_to_go_on = True


class DocumentError(ConfigurationError):
    """A YAML document does not fit its schema; says file, line and key."""

    def __init__(self, source: str, line: int | None, key: str, problem: str) -> None:
        place = source if line is None else f"{source}:{line}"
        super().__init__(f"{place}: {key}: {problem}" if key else f"{place}: {problem}")
        self.source, self.line, self.key, self.problem = source, line, key, problem


class ExpressionError(ConfigurationError):
    """An assertion expression is not in the supported subset of Kotlin; line and column count from 1."""

    def __init__(self, problem: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {problem}")
        self.problem, self.line, self.column = problem, line, column


class ExpressionFailure(StoicError):
    """A valid assertion expression has no value for this trial's data: a missing member, null, a limit."""


class ServiceUnreachable(StoicError):
    """An agent, a graph or a model does not answer at the start, or an agent or a model serves nobody any more."""


class TableMissing(StoicError):
    """A table of an evaluation that is to be read has not been made yet."""


class InfrastructureError(StoicError):
    """Something other than the agent failed in a trial (no graph, own limits): the trial is invalid, never scored."""


class QueryError(StoicError):
    """A graph query of a job is at fault (syntax, rights, time, shape of result); fails its assertion or setup."""


class AttemptFailed(StoicError):
    """One attempt at a remote call failed; the policy (`core/calls/retrying.py`) decides whether another is made.

    `retry_after` is the wait in seconds that the server requests. `busy` (429, 529) is a wait, no failure of the other
    side; `late` means that no answer came in time, or no connection was made. `final` means that trying again
    cannot help (the session is unknown, the request is refused). `turned_away` means that nobody processed the request
    (no connection, blocked by a gateway), and that the next one may fail in the same way. `hung_up` means that the
    connection ended without an answer: the request may have brought the service down, or nobody is there any more,
    behind something that accepts connections all the same (a port that Docker, SSH or kubectl forwards).

    The endpoint's limit adds what it knows of others: `refused_seconds`, how long a busy endpoint has given everybody
    only refusals, and `in_company`, whether other requests were on their way as well. Where another was answered
    meanwhile, one that is `late` was not `turned_away`: a full queue drops connections as a host that is gone does.
    """

    def __init__(
        self, problem: str, *, retry_after: float | None = None, busy: bool = False, late: bool = False,
        final: bool = False, turned_away: bool = False, hung_up: bool = False,
    ) -> None:
        super().__init__(problem)
        self.retry_after, self.busy, self.late, self.final = retry_after, busy, late, final
        self.turned_away, self.hung_up = turned_away or busy, hung_up
        self.refused_seconds, self.in_company = 0.0, False

    @property
    def is_slow(self) -> bool:
        """Whether somebody is there who did not answer in time, which may be a sign of overload."""
        return self.late and not self.turned_away

    @property
    def may_be_outage(self) -> bool:
        """Whether the request is worth sending anew once the server serves others."""
        return (self.turned_away or self.hung_up) and not self.busy and not self.final
