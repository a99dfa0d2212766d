"""What pyarrow imports on its own account costs every process that stores something."""

import subprocess
import sys

SCRIPT = """
import sys
from pathlib import Path
from stoic_assets.adapters.warehouse import Warehouse
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
