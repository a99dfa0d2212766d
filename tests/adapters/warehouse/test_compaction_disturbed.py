"""Compactions beside readers, writers, deletions and one another, killed, and on a disk that refuses."""

import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from stored_turns import NOW, compact_twice, everything, grow_old, parquet_files, turn, write_many

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.warehouse import compaction
from stoic_assets.adapters.warehouse.compaction import compact, remove_version


def test_only_one_compacts(warehouse):
    write_many(warehouse)
    with (
        compaction._exclusively(warehouse.root, "go on", wait=0),
        pytest.raises(StorageError, match="is being compacted by another"),
    ):
        compact(warehouse.root, NOW)


def test_a_deletion_waits_for_a_compaction(warehouse):
    """It might bring back what was deleted meanwhile."""
    write_many(warehouse)
    waits = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        with compaction._exclusively(warehouse.root, "go on", wait=0):
            deletion = pool.submit(remove_version, warehouse.root, "marcus@1.1", waits.set)
            assert waits.wait(10)
            assert not deletion.done()
            assert warehouse.has("turns", "marcus@1.1", "e1")
        deletion.result(10)
    assert not warehouse.has("turns", "marcus@1.1", "e1")


def test_a_disk_that_refuses_is_one_clear_line(warehouse):
    write_many(warehouse)
    (warehouse.root / "turns" / "archive" / ".0123.tmp").mkdir(parents=True)
    with pytest.raises(StorageError, match=r"cannot compact .*0123\.tmp.*; correct that, then try again"):
        compact(warehouse.root, NOW)
    with pytest.raises(StorageError, match=r"cannot delete all of marcus@1\.1: .*0123\.tmp"):
        remove_version(warehouse.root, "marcus@1.1")


def test_readers_and_writers_go_on_meanwhile(warehouse):
    """The grace time is over for what no query has listed: so files grow old between two queries."""
    write_many(warehouse)
    done, removed, query = threading.Event(), threading.Event(), threading.Lock()

    def maintain():
        while not done.is_set():
            with query:
                grow_old(warehouse)
            if any(table.removed for table in compact(warehouse.root)):
                removed.set()

    def correct():
        for n in range(15):
            warehouse.write("turns", "marcus@1.5", "e1", [turn(content=f"{n}.{part}") for part in range(3)])
            warehouse.write("turns", f"marcus@2.{n}", "e1", [])

    with ThreadPoolExecutor(2) as pool:
        running, writing = pool.submit(maintain), pool.submit(correct)
        try:
            while not (writing.done() and removed.is_set()) and not running.done():
                with query:
                    assert len(everything(warehouse)) == 33
                    assert len(warehouse.read("turns", "marcus@1.3", "e1")) == 3
                time.sleep(0.001)  # a lock is not fair: whoever gives it back and takes it at once keeps it
        finally:
            done.set()
        running.result()
    assert warehouse.read("turns", "marcus@1.5", "e1")[2]["content"] == "14.2"
    assert all(warehouse.has("turns", f"marcus@2.{n}", "e1") for n in range(15))


def test_a_killed_compaction_changes_no_row_and_the_next_one_finishes(warehouse):
    write_many(warehouse)
    rows, chance = everything(warehouse), random.Random(7)
    script = (
        "import sys, pyarrow.parquet, filelock\nfrom datetime import timedelta\nfrom pathlib import Path\n"
        "from stoic_assets.adapters.warehouse.compaction import compact\nprint('begun', flush=True)\n"
        "compact(Path(sys.argv[1]), timedelta(0))"
    )
    killed = 0
    for night in range(4):
        command = [sys.executable, "-c", script, str(warehouse.root)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            time.sleep(chance.uniform(0, 0.03))
            process.send_signal(signal.SIGKILL)
        killed += process.returncode == -signal.SIGKILL
        assert everything(warehouse) == rows
        warehouse.write("turns", f"marcus@2.{night}", "e1", [])
    assert killed
    compact_twice(warehouse)
    assert everything(warehouse) == rows
    assert len(parquet_files(warehouse)) == 1
    assert not list(Path(warehouse.root).rglob("*.tmp"))
