"""Gathers the rows that a report is made from, and stores the reports of an evaluation."""

from dataclasses import fields
from pathlib import Path
from typing import Any

from stoic_assets.adapters.evaluation_tables import EvaluationTables
from stoic_assets.adapters.files import write_whole
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation import Manifest
from stoic_assets.core.releases import agent_of
from stoic_assets.core.reports.data import BaseVersion, ReportData
from stoic_assets.core.reports.page import render_report
from stoic_assets.core.reports.summary import calibrated_share
from stoic_assets.core.reports.weak_virtues import weak_virtue_markdown

SINGLE_ROWS = ("evaluation", "evaluation_scores")
GATHERED_OTHERWISE = ("evaluation", "virtue_trends", "invalid_trials_threshold", "base")


def report_data(workplace: Workplace, manifest: Manifest) -> ReportData:
    """The rows of one evaluation, beside those of the newest evaluation of its parent where there is one."""
    tables = EvaluationTables(workplace, manifest)
    rows: dict[str, Any] = {
        field.name: _rows(workplace, tables, field.name)
        for field in fields(ReportData)
        if field.name not in GATHERED_OTHERWISE
    }
    agent = agent_of(manifest.agent_version)
    return ReportData(
        **rows,
        evaluation=_head(tables, manifest),
        virtue_trends=workplace.warehouse.query("select * from virtue_trends where agent = ? order by n", [agent]),
        invalid_trials_threshold=workplace.settings.invalid_trials_threshold,
        base=_base(workplace, manifest),
    )


def write_report(workplace: Workplace, manifest: Manifest, path: Path | None = None) -> Path:
    """The HTML report of an evaluation; by default below `$STOIC_HOME/reports`."""
    return write_whole(path or _place(workplace, manifest, "html"), render_report(report_data(workplace, manifest)))


def write_weak_virtues(workplace: Workplace, manifest: Manifest) -> tuple[Path, str]:
    """The report of weak virtues as Markdown: where it is, and its text."""
    tables = EvaluationTables(workplace, manifest)
    virtues, weak = tables.read("evaluation_virtues"), tables.read("weak_virtues")
    calibrated = calibrated_share(tables.read("trial_virtues"))
    text = weak_virtue_markdown(virtues, weak, manifest.offline, calibrated)
    return write_whole(_place(workplace, manifest, "weak-virtues.md"), text), text


def _place(workplace: Workplace, manifest: Manifest, ending: str) -> Path:
    return workplace.reports / manifest.agent_version / f"{manifest.evaluation_id}.{ending}"


def _rows(workplace: Workplace, tables: EvaluationTables, table: str) -> Any:
    """The table's rows, or none where its stage has not run yet."""
    rows = tables.read(table) if tables.has(table) else []
    return (rows[0] if rows else {}) if table in SINGLE_ROWS else rows


def _head(tables: EvaluationTables, manifest: Manifest) -> dict[str, Any]:
    return {**tables.read("evaluations")[0], "agent_version": manifest.agent_version}


def _base(workplace: Workplace, manifest: Manifest) -> BaseVersion | None:
    for parent in manifest.parents:
        for earlier in reversed(workplace.evidence.manifests(parent)):
            tables = EvaluationTables(workplace, earlier)
            if tables.has("evaluation_virtues"):
                compared = ("composite_scores", "evaluation_virtues", "assertion_results")
                return BaseVersion(_head(tables, earlier), *[tables.read(table) for table in compared])
    return None
