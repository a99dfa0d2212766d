"""What packages import on their own account costs every process that uses them."""

import gc
import subprocess
import sys

import pytest

from stoic_assets.adapters.process.lean_imports import import_lean_neo4j, uncollected

SCRIPT = """
import sys
from pathlib import Path
from stoic_assets.adapters.warehouse.warehouse import Warehouse
warehouse = Warehouse(Path(sys.argv[1]))
turn = {"trial_id": "t1", "turn": 0, "speaker": "user", "content": "Hello"}
warehouse.write("turns", "marcus@1", "e1", [turn])
assert warehouse.query("select content from turns where trial_id = ?", ["t1"]) == [{"content": "Hello"}]
assert "pandas" not in sys.modules
import pyarrow as pa
assert pa.table({"a": [1]}).to_pandas()["a"].tolist() == [1]
"""


def test_storing_and_asking_import_no_pandas_which_still_works_when_wanted(tmp_path):
    run = subprocess.run([sys.executable, "-c", SCRIPT, tmp_path], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


OPENAI = """
import sys
from stoic_assets.adapters.process.lean_imports import import_lean_openai
import_lean_openai()
assert len([name for name in sys.modules if name.startswith("openai.types.")]) < 100
import openai
from openai.types.chat import ChatCompletion
assert openai.types.chat.ChatCompletion is ChatCompletion
assert openai.types.responses.Response.__name__ == "Response"
assert openai.types.Batch.__name__ == "Batch"
"""


def test_openai_comes_without_most_of_its_types_which_are_there_when_wanted():
    run = subprocess.run([sys.executable, "-c", OPENAI], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_dates_of_a_graph_know_the_lengths_of_months():
    import_lean_neo4j()
    from neo4j.time import Date

    assert str(Date(2024, 2, 29).replace(day=1)) == "2024-02-01"
    assert (Date.days_in_month(1900, 2), Date.days_in_month(2000, 2), Date.days_in_month(2001, 12)) == (28, 29, 31)
    with pytest.raises(ValueError, match="Day 30 out of range"):
        Date(2024, 2, 30)
    with pytest.raises(ValueError, match="Month out of range"):
        Date(2024, 13, 1)


def test_what_stays_is_not_searched_for_garbage_and_later_garbage_is():
    before = gc.get_freeze_count()
    with uncollected():
        assert not gc.isenabled()
        kept = [[] for _ in range(1000)]
    assert gc.isenabled()
    assert gc.get_freeze_count() >= before + len(kept)


def test_garbage_is_looked_for_again_after_a_fault():
    with pytest.raises(ImportError), uncollected():
        raise ImportError
    assert gc.isenabled()
