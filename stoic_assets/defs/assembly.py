"""Combines assets, resource and executor; no asset is defined here."""

import dagster as dg

from stoic_assets.adapters.disk.configuration_files import load_settings
from stoic_assets.adapters.project import find_project
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.defs.asset_metadata import with_columns
from stoic_assets.defs.comparison import version_comparisons
from stoic_assets.defs.evolution import fitness_updates, stoic_graph_projection
from stoic_assets.defs.judge_drift import judge_drift
from stoic_assets.defs.judging import assertion_results, verdicts
from stoic_assets.defs.lost_runs import lost_runs
from stoic_assets.defs.maintenance import compact, compaction
from stoic_assets.defs.nightly import build_nightly, with_freshness
from stoic_assets.defs.preparation import graph_setup, job_configs
from stoic_assets.defs.ratings import (
    AFTER_RATINGS,
    human_feedback_evaluations,
    human_ratings,
    judge_calibration,
    new_rating_files,
    rating_analysis,
    rating_pages,
)
from stoic_assets.defs.releases import new_releases, release_evaluation
from stoic_assets.defs.reports import evaluation_reports, weak_virtue_reports
from stoic_assets.defs.resources import WorkplaceResource
from stoic_assets.defs.run_failures import failed_runs
from stoic_assets.defs.scores import sql_assets
from stoic_assets.defs.transcripts import transcripts

ASSETS = [
    job_configs,
    graph_setup,
    transcripts,
    verdicts,
    assertion_results,
    *sql_assets,
    version_comparisons,
    judge_drift,
    weak_virtue_reports,
    evaluation_reports,
    fitness_updates,
    stoic_graph_projection,
    rating_pages,
    human_ratings,
    rating_analysis,
    judge_calibration,
    human_feedback_evaluations,
    compact,
]


def build_definitions(workplace: Workplace | None = None) -> dg.Definitions:
    """The code location. Commands and tests pass a workplace of their own.

    The executor runs in one process: eight trivial assets take 2.5 s this way, and 19 s with a process each,
    and slow work here waits on networks inside one asset.
    """
    resource = workplace or WorkplaceResource()
    settings = workplace.settings if workplace else load_settings(find_project().settings)
    own = dg.Definitions(
        assets=with_freshness(with_columns(ASSETS), settings.nightly),
        resources={"workplace": resource},
        executor=dg.in_process_executor,
        jobs=[AFTER_RATINGS, release_evaluation, compaction],
        sensors=[new_rating_files, new_releases, failed_runs, lost_runs],
    )
    return dg.Definitions.merge(own, build_nightly(settings.nightly))
