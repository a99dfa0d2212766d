"""A lost table does not count as one without rows; one that was not made yet is not lost."""

from collections.abc import Callable

import pytest

from stoic_assets.adapters.evaluation.comparison_side import READ, read_side
from stoic_assets.adapters.evaluation.report import report_data, write_report
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.comparison.side import ComparisonRefused
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.status import CONVERSED
from stoic_assets.core.table_repair import EVIDENCE, tables_at

KEY = ("marcus@2", "c")
REPORTED = sorted({*tables_at("finished")} - {"job_measures"})
Make = Callable[..., Manifest]


def lose(workplace: Workplace, *tables: str) -> None:
    for table in tables:
        file = workplace.warehouse.file(table, *KEY)
        assert file
        file.unlink()


@pytest.mark.parametrize("table", REPORTED)
def test_no_report_is_written_without_it(workplace: Workplace, evaluated: Make, table: str) -> None:
    manifest = evaluated(*KEY)
    lose(workplace, table)
    way = r"`stoic eval .* --resume c`: .* without" if table in EVIDENCE else "`stoic regrade .* --evaluation c`"
    with pytest.raises(ConfigurationError, match=rf"^table {table} of evaluation c \(marcus@2\) is missing; run {way}"):
        write_report(workplace, manifest)
    assert not workplace.report_file(*KEY).exists()


@pytest.mark.parametrize("table", READ)
def test_no_version_is_compared_without_it(workplace: Workplace, evaluated: Make, table: str) -> None:
    evaluated(*KEY)
    lose(workplace, table)
    told = rf"^table {table} of evaluation c \(marcus@2\) is missing; run `stoic"
    with pytest.raises(ConfigurationError, match=told):
        read_side(workplace, *KEY)


def test_what_was_never_judged_has_lost_nothing(workplace: Workplace, evaluated: Make) -> None:
    manifest = evaluated(*KEY)
    EvaluationTables(workplace, manifest).write_head(CONVERSED, planned_trials=1)
    lose(workplace, *({*tables_at("finished")} - {*EVIDENCE}))
    assert report_data(workplace, manifest).evaluation["status"] == CONVERSED
    with pytest.raises(ComparisonRefused, match=r"^marcus@2 \(evaluation c\) is not judged yet$"):
        read_side(workplace, *KEY)
