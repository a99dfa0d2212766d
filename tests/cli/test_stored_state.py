"""What `stoic doctor` says of stored data."""

import json
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from evaluation_heads import evaluation_head

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.disk.sqlite_files import open_shared
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.dagster_instance import open_instance
from stoic_assets.cli.stored_state import STORED
from stoic_assets.core.errors import ConfigurationError


def test_a_damaged_table_is_told_and_missing_if_every_evaluation_needs_it(workplace: Workplace) -> None:
    tables, warehouse = STORED["tables"], workplace.warehouse
    assert tables(workplace) == ("ok", f"no file is damaged in {warehouse.root}")
    files = [warehouse.write("turns", version, "e1", []) for version in ("marcus@1", "marcus@2")]
    head = warehouse.write("evaluations", "marcus@1", "e1", [evaluation_head()])
    assert tables(workplace)[0] == "ok"
    for file in files:
        file.write_bytes(b"")
    state, said = tables(workplace)
    assert state == "note"
    assert said.startswith(f"table turns of evaluation e1 (marcus@1): {files[0]} is damaged; restore it")
    assert said.endswith("; 2 files of tables are damaged in all")
    head.write_bytes(b"")
    with pytest.raises(StorageError, match=rf"table evaluations of evaluation e1 \(marcus@1\): {head} is damaged"):
        tables(workplace)


def test_damaged_records_of_dagster_are_missing_and_so_is_a_wrong_dagster_yaml(workplace: Workplace) -> None:
    dagster, home = STORED["dagster"], workplace.project.home / "dagster"
    assert dagster(workplace) == ("ok", f"no run was recorded yet in {home}")
    assert not home.exists()
    with open_instance(workplace):
        pass
    assert dagster(workplace) == ("ok", f"records of runs in {home}")
    (home / "history" / "runs.db").write_bytes(b"no database")
    with pytest.raises(StorageError, match=r"runs\.db is damaged; move it away"):
        dagster(workplace)
    (home / "history" / "runs.db").unlink()
    for wrong in ("storage: [", "run_storage: {module: nowhere, class: Nothing}"):
        (home / "dagster.yaml").write_text(wrong)
        with pytest.raises(ConfigurationError, match=r"dagster\.yaml.*; (install it, or )?correct the file"):
            dagster(workplace)


def test_records_in_postgresql_are_told_with_their_database_and_without_its_password(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workplace.project.home / "dagster").mkdir(parents=True)
    (workplace.project.home / "dagster" / "dagster.yaml").touch()
    records = SimpleNamespace(postgres_url="postgresql+psycopg2://me:pass%2F4711@db:5433/runs")
    opened = nullcontext(SimpleNamespace(run_storage=records))
    monkeypatch.setattr("stoic_assets.cli.stored_state.open_instance", lambda _: opened)
    assert STORED["dagster"](workplace) == ("ok", "records of runs in the database runs of PostgreSQL on db:5433")


def test_the_queue_of_a_deployment_is_asked_and_there_is_none_elsewhere(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue, configuration = STORED["queue"], workplace.project.home / "dagster" / "dagster.yaml"
    configuration.parent.mkdir(parents=True)
    for text in ("", "run_launcher: ["):  # of which another finding tells
        configuration.write_text(text)
        assert queue(workplace) is None
    launcher: dict[str, Any] = {"module": "stoic_assets.defs.celery_runs", "class": "CeleryRuns"}
    launcher["config"] = {"broker": {"env": "STOIC_BROKER_URL"}, "backend": "disabled://"}
    configuration.write_text(json.dumps({"run_launcher": launcher}))
    monkeypatch.setenv("STOIC_BROKER_URL", "memory://")
    assert queue(workplace) == ("ok", "workers take runs from memory://:**@localhost//")
    monkeypatch.setenv("STOIC_BROKER_URL", "redis://:pass4711@127.0.0.1:1/0")
    state, said = queue(workplace) or ("", "")
    assert state == "note"
    assert said.startswith("the queue redis://:**@127.0.0.1:1/0 cannot be reached: Error 111 connecting to 127.0.0.1")
    assert said.endswith("; start it, or correct STOIC_BROKER_URL: runs of sensors and schedules wait for it")
    monkeypatch.setenv("STOIC_BROKER_URL", "redis://:pass/4711@127.0.0.1:1/0")
    with pytest.raises(ConfigurationError, match="write / as %2F"):
        queue(workplace)


def test_a_damaged_judge_cache_is_noted(workplace: Workplace) -> None:
    cache = STORED["judge cache"]
    assert cache(workplace) == ("ok", "0 files of replies")
    files = [workplace.judge_cache(version) / "abc" / "replies.sqlite" for version in ("marcus@1", "marcus@2")]
    for file in files:
        open_shared(file).close()
    assert cache(workplace) == ("ok", "2 files of replies")
    files[0].write_bytes(b"no database")
    assert cache(workplace) == ("note", f"damaged, and may be deleted, since they are only a cache: {files[0]}")
