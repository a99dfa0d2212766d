"""Names of trials, and of what they run: a job or one scenario of it; this is also what counts as one observation."""

from stoic_assets.core.table_rows import Row


def played(job: str, scenario: str | None) -> str:
    """The name of a job without scenarios, or of one scenario of a job."""
    # Names may contain dots but no tilde, so no two trials share an id.
    return f"{job}~{scenario}" if scenario else job


def job_key(row: Row) -> str:
    """The name, as given by `played`, of what a row with columns `job` and `scenario` is about."""
    return played(row["job"], row.get("scenario"))


def job_of(name: str) -> str:
    """The job in a name given by `played`."""
    return name.partition("~")[0]


def trial_name(trial_id: str, evaluation_id: str) -> str:
    """The name of a trial within its evaluation."""
    return trial_id.removeprefix(f"{evaluation_id}.")
