"""Judgements by people: rating page, collected ratings, agreement of raters, calibration of the judge, feedback."""

import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg

from stoic_assets.adapters.evaluation.feedback_import import import_feedback
from stoic_assets.adapters.process.interrupts import run_async
from stoic_assets.adapters.ratings import calibration_store, ratings_store
from stoic_assets.adapters.ratings.rating_analysis import Analysed, analyse_ratings
from stoic_assets.adapters.ratings.rating_keys import ratings_folder
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import NothingYet
from stoic_assets.core.judging.confidence_map import ConfidenceMap
from stoic_assets.core.presentation.markdown import bulleted, picture, plain
from stoic_assets.defs.asset_metadata import OWNERS, numbers, page, shown
from stoic_assets.defs.failures import RETRIES, delivery_faults, reported


class RatingPageConfig(dg.Config):
    """`agent_versions` are those whose replies are rated, without naming them; if empty, the one evaluated last.

    A named version without replies to rate is a fault; the one evaluated last may have none.

    `about` tells raters to whom people wrote; if empty, the page says only that people wrote and got a reply.
    """

    agent_versions: list[str] = []
    about: str = ""


@dg.asset(group_name="people", kinds={"html"}, owners=OWNERS, deps=["transcripts"])
def rating_pages(config: RatingPageConfig, workplace: dg.ResourceParam[Workplace]) -> dg.MaterializeResult:
    """A self-contained HTML page on which people rate replies to scenarios without knowing which version gave them."""
    with reported(workplace):
        try:
            built = ratings_store.build(workplace, config.agent_versions, about=config.about or None)
        except NothingYet as error:
            if config.agent_versions:
                raise
            return dg.MaterializeResult(metadata={"replies": 0, "why": workplace.redactor.text(str(error))})
    return dg.MaterializeResult(
        metadata={
            "page_id": built.page_id,
            "replies": built.replies,
            "items": built.items,
            **page(built.path),
        }
    )


@dg.asset(group_name="people", kinds={"json", "parquet"}, owners=OWNERS, deps=[rating_pages])
def human_ratings(workplace: dg.ResourceParam[Workplace]) -> dg.MaterializeResult:
    """The ratings in `$STOIC_HOME/ratings/`, one row for each rater, item and page."""
    with reported(workplace):
        collected = ratings_store.collect(workplace, ratings_store.rating_files(workplace.project.home))
    return dg.MaterializeResult(metadata=collected.counts)


def _spec(name: str, description: str) -> dg.AssetSpec:
    return dg.AssetSpec(
        name, description=description, group_name="people", kinds={"python", "parquet"}, owners=OWNERS,
        deps=[human_ratings],
    )


@dg.multi_asset(
    specs=[
        _spec(
            "rater_reliability", "How far raters agree on each question, with intervals, and whether that is enough."
        ),
        _spec("rater_checks", "Reasons to talk with a rater. No rating is left out because of one."),
    ],
    can_subset=True,
)
def rating_analysis(
    context: dg.AssetExecutionContext, workplace: dg.ResourceParam[Workplace]
) -> Iterator[dg.MaterializeResult]:
    """Analyses the ratings once, for both reliability and rater checks; stores both, even if one is selected."""
    with reported(workplace):
        try:
            about = _about(analyse_ratings(workplace))
        except NothingYet as error:
            about = {asset: {"why": str(error)} for asset in ("rater_reliability", "rater_checks")}
    for asset in sorted(key.to_user_string() for key in context.selected_asset_keys):
        yield dg.MaterializeResult(asset_key=asset, metadata=about[asset])


def _about(analysed: Analysed) -> dict[str, dict[str, Any]]:
    """The metadata of both assets."""
    analysis, files = analysed.analysis, {"report": analysed.report, "discussion_sheet": analysed.discussion_sheet}
    estimates = {name: found.coefficients["alpha_ordinal"].estimate for name, found in analysis.dimensions.items()}
    alphas = numbers({f"alpha_{name}": estimate for name, estimate in estimates.items()})
    gates = {f"gate_{name}": found.gate.state for name, found in analysis.dimensions.items()}
    paths = {name: dg.MetadataValue.path(path) for name, path in files.items()}
    study = {"page_id": analysis.study.page_id, "rubric": analysis.study.rubric or "not known"}
    flags = [f"{flag.rater_id}: {flag.check}: {flag.detail}" for flag in analysis.checks.flags]
    not_checked = [f"{check}: {why}" for check, why in analysis.checks.not_made.items()]
    return {
        "rater_reliability": {**study, "raters": len(analysis.table.raters), **alphas, **gates, **paths},
        "rater_checks": {
            **study, "dagster/row_count": len(flags), "flags": dg.MetadataValue.md(bulleted(flags) or "none"),
            "not_checked": "; ".join(not_checked) or "none",
        },
    }  # fmt: skip


_COLUMNS = ("virtue", "judge_model", "measure", "estimate", "low", "high", "why")


@dg.asset(group_name="people", kinds={"python", "parquet"}, owners=OWNERS, deps=[human_ratings, "virtue_scores"])
def judge_calibration(workplace: dg.ResourceParam[Workplace]) -> dg.MaterializeResult:
    """How well the judge agrees with people on the same replies, and how often it is right at each confidence."""
    with reported(workplace):
        calibrated = calibration_store.calibrate_and_store(workplace)
    comparisons, rows = calibrated.comparisons, calibrated.rows
    maps = [each for found in comparisons for each in found.maps.values()]
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(rows),
            "path": dg.MetadataValue.path(calibrated.table),
            "report": dg.MetadataValue.path(calibrated.report),
            "calibrated": len(maps),
            "rubric": next((found.rubric for found in comparisons), None) or "not known",
            "reliability": dg.MetadataValue.md("\n\n".join(map(_diagram, maps)) or "not calibrated"),
            **({"measures": shown({name: row[name] for name in _COLUMNS} for row in rows)} if rows else {}),
        }
    )


def _diagram(found: ConfidenceMap) -> str:
    from stoic_assets.core.calibration.reliability_diagram import reliability_diagram_svg
    from stoic_assets.core.presentation.drawing import INK

    title = plain(f"{found.virtue}, {', '.join(found.judges)}, {found.signal}")
    return f"**{title}**\n\n{picture('reliability', reliability_diagram_svg(found, ink=INK))}"


@dg.asset(
    group_name="people",
    kinds={"json", "parquet"},
    owners=OWNERS,
    deps=[human_ratings, "transcripts"],
    retry_policy=RETRIES,
)
def human_feedback_evaluations(workplace: dg.ResourceParam[Workplace]) -> dg.MaterializeResult:
    """Feedback in `$STOIC_HOME/feedback/` and ratings as scores of virtues; sent as events."""
    with reported(workplace):
        imported = run_async(import_feedback(workplace))
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(imported.feedback.rows),
            "changed_versions": len(imported.versions),
            "unmapped_dimensions": ", ".join(imported.feedback.unmapped) or "none",
            "complaints": dg.MetadataValue.md(bulleted(imported.feedback.complaints) or "none"),
            **delivery_faults(imported.deliveries),
        }
    )


FILES_TAG = "stoic/rating_files"
ATTEMPTS, PAUSE = 3, timedelta(minutes=10)
AFTER_RATINGS = dg.define_asset_job(
    "ratings_collected",
    selection=dg.AssetSelection.assets(
        "human_ratings", "rater_reliability", "rater_checks", "judge_calibration", "human_feedback_evaluations"
    ),
    description="Imports and analyses ratings, compares the judge with them, and turns them into scores of virtues.",
)


@dg.sensor(
    job=AFTER_RATINGS,
    description="Imports rating files when one is added to `$STOIC_HOME/ratings/` or replaced there.",
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def new_rating_files(
    context: dg.SensorEvaluationContext, workplace: dg.ResourceParam[Workplace]
) -> dg.RunRequest | dg.SkipReason:
    """Requests a run for files that the tags of no run name. A failed run is repeated twice: the fault may pass."""
    home = workplace.project.home
    state = _state(ratings_store.rating_files(home))
    runs = context.instance.get_run_records(dg.RunsFilter(tags={FILES_TAG: state})) if state else []
    if not state or (runs and not _worth_another_try(runs)):
        return dg.SkipReason(f"nothing new in {ratings_folder(home)}")
    return dg.RunRequest(f"{state}:{len(runs)}", tags={FILES_TAG: state})


def _worth_another_try(runs: Sequence[dg.RunRecord]) -> bool:
    """Whether the last of these runs, which are newest first, failed some time ago, and only few have run."""
    last = runs[0]
    ended = datetime.fromtimestamp(last.end_time or 0, UTC)
    failed = last.dagster_run.status == dg.DagsterRunStatus.FAILURE
    return failed and len(runs) < ATTEMPTS and datetime.now(UTC) - ended > PAUSE


def _state(files: Sequence[Path]) -> str:
    """A digest of the present rating files, since databases index it; empty if there is none."""
    listing = " ".join(f"{path.name}:{path.stat().st_mtime_ns}" for path in files)
    return hashlib.sha256(listing.encode()).hexdigest() if files else ""
