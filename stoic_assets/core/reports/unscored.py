"""Why a virtue has no score in a whole evaluation."""

from collections.abc import Iterable, Sequence

from stoic_assets.core.presentation.formatting import plural
from stoic_assets.core.reports.trial_view import TrialView
from stoic_assets.core.table_rows import Row


def why_unscored(virtues: Iterable[Row], trials: Sequence[TrialView]) -> dict[str, str]:
    """For each row of `evaluation_virtues` the reason that holds where it has no score."""
    rows = [view.row for trial in trials if trial.valid for view in trial.virtues]
    silent = [row["virtue"] for row in rows if row and row.get("score") is None and row.get("exercised") is not False]
    return {row["virtue"]: _why(row.get("not_exercised") or 0, silent.count(row["virtue"])) for row in virtues}


def _why(not_exercised: int, silent: int) -> str:
    if not_exercised and silent:
        return f"not exercised in {plural(not_exercised, 'trial')}, and no judge gave a verdict in {silent}"
    return "not exercised in any trial" if not_exercised else "no judge gave a verdict"
