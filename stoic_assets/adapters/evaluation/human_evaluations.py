"""What people found about a version, from the table, and on which of it evolution must not learn."""

from collections.abc import Set

from stoic_assets.adapters.disk.configuration_files import mentions
from stoic_assets.adapters.disk.job_files import readable_jobs
from stoic_assets.adapters.evaluation.job_choice import job_files
from stoic_assets.adapters.ratings.feedback_files import TABLE
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evolution.stoic_evaluation import StoicEvaluation
from stoic_assets.core.feedback.human_evaluation import human_evaluation

_HELD_OUT = """
    select
        job,
        arg_max(holdout, evaluated_at) as newest,
        arg_max(holdout, evaluated_at) filter (where agent_version = ?) as own
    from trials where list_contains(?, job) group by job
"""


def human_evaluations(workplace: Workplace, agent_version: str) -> list[StoicEvaluation]:
    """People's feedback on a version, from the table; holdout jobs are marked, rated replies have their scenarios."""
    warehouse = workplace.warehouse
    rows = warehouse.query(f"select * from {TABLE} where agent_version = ? order by feedback_id", [agent_version])
    if not rows:
        return []  # the usual case: avoids reading all trials ever stored
    holdouts = _holdouts(workplace, agent_version, {row["task_id"] for row in rows})
    on_scenarios = "select trial_id, scenario from trials where agent_version = ? and scenario is not null"
    scenarios = {row["trial_id"]: row["scenario"] for row in warehouse.query(on_scenarios, [agent_version])}
    return [found for row in rows if (found := human_evaluation(row, holdouts, scenarios)) is not None]


def _holdouts(workplace: Workplace, agent_version: str, jobs: Set[str]) -> set[str]:
    """Those of `jobs` that are held out: by their file, or by the version's newest trials of them.

    Of a job without a readable file the newest trials of any version decide.
    """
    files = [path for path in job_files(workplace.project) if mentions(path, jobs)]
    known = {job.name: job.holdout for job in readable_jobs(files)[0]}
    held = workplace.warehouse.query(_HELD_OUT, [agent_version, sorted(jobs)])
    by_trials = {row["job"] for row in held if row["own"] or known.get(row["job"], row["newest"])}
    return by_trials | {name for name, holdout in known.items() if holdout}
