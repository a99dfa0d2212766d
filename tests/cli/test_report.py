"""Of which evaluation a report is written."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli import report
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.next_command import half_judged
from stoic_assets.core.evaluation.status import REGRADING


@pytest.fixture
def reported(workplace: Workplace, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the evaluations of which reports were written."""
    ids: list[str] = []

    def write(_: Workplace, manifest: Manifest, out: Path | None) -> Path:
        ids.append(manifest.evaluation_id)
        return out or Path("report.html")

    monkeypatch.setattr(report, "open_workplace", lambda to_read: workplace)
    monkeypatch.setattr(report, "write_report", write)
    return ids


def stored(workplace: Workplace, manifest: Manifest) -> EvaluationTables:
    tables = EvaluationTables(workplace, manifest)
    tables.write_head("finished", planned_trials=1)
    return tables


def test_it_is_that_of_the_newest_or_of_one_that_is_named(
    workplace: Workplace, reported: list[str], make_manifest: Callable[..., Manifest]
) -> None:
    for year in ("2024", "2025", "2026"):
        manifest = make_manifest(evaluation_id=year, started_at=f"{year}-01-01T00:00:00Z")
        workplace.evidence.begin(manifest)
        if year != "2026":
            stored(workplace, manifest)
    version = manifest.agent_version
    report.report(version)
    report.report(version, evaluation="2024")
    report.report(evaluation="2024")
    assert reported == ["2025", "2024", "2024"]
    with pytest.raises(ConfigurationError, match=r"^evaluation 2026 was cut short; continue with `stoic eval .*2026"):
        report.report(version, evaluation="2026")
    with (
        workplace.evidence.locked(version, "2026"),
        pytest.raises(ConfigurationError, match=r"^evaluation 2026 is running in another process; report it once"),
    ):
        report.report(version, evaluation="2026")
    with pytest.raises(ConfigurationError, match=r"no evaluation 2023; did you mean 202\d\? known: 2024, 2025, 2026"):
        report.report(version, evaluation="2023")


def test_none_is_written_among_the_tables(workplace: Workplace, reported: list[str]) -> None:
    with pytest.raises(ConfigurationError, match="is in the warehouse"):
        report.report(out=workplace.warehouse.root / "report.html")
    assert reported == []


def test_a_half_judged_evaluation_is_said_to_be_so_unless_its_judging_goes_on(
    workplace: Workplace, reported: list[str], make_manifest: Callable[..., Manifest],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    manifest = make_manifest()
    workplace.evidence.begin(manifest)
    stored(workplace, manifest).write_head(REGRADING, planned_trials=1)
    report.report(as_json=True)
    said, told = capsys.readouterr()
    assert told == f"stoic: {half_judged(manifest.agent_version, 'E1')}\n"
    assert json.loads(said)["path"] == str(Path.cwd() / "report.html")
    with workplace.evidence.locked(manifest.agent_version, "E1"):
        report.report()
    assert capsys.readouterr() == ("wrote report.html\n", "")
    stored(workplace, manifest)
    report.report()
    assert capsys.readouterr().err == "", "it is finished"
