from pathlib import Path

import pytest

from stoic_assets.adapters.disk.document_files import load_settings, read_document, read_text, yaml_files
from stoic_assets.adapters.disk.job_files import load_job
from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.settings import Settings

MINIMUM = "target: {user: u, chatbot: c}\ntasks: [{task: Ask the time, acceptanceCriteria: The time is told}]\n"


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "latin.yml").write_bytes(b"a: \xe9")
    with pytest.raises(ConfigurationError, match=r"latin\.yml: cannot be read: .*utf-8"):
        read_text(tmp_path / "latin.yml")
    with pytest.raises(ConfigurationError, match=r"nothing\.yml: there is no such file"):
        read_document(tmp_path / "nothing.yml", Job)


def test_a_byte_order_mark_and_other_line_ends_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "job.yml").write_bytes(b"\xef\xbb\xbf" + MINIMUM.replace("\n", "\r\n").encode())
    assert load_job(tmp_path / "job.yml").tasks[0].task == "Ask the time"


def test_the_yaml_files_of_a_folder_are_told_by_name(tmp_path: Path) -> None:
    for name in ("b.yml", "a.yaml", "notes.txt", "job.schema.json"):
        (tmp_path / name).touch()
    assert [file.name for file in yaml_files(tmp_path)] == ["a.yaml", "b.yml"]
    assert yaml_files(tmp_path / "nowhere") == []


@pytest.mark.parametrize("text", [None, "", "# only\n\n  # comments\n", "{}", "\ufeff# only"])
def test_settings_are_all_defaults_where_nothing_is_said(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "stoic.yml").write_text(text, encoding="utf-8")
    assert load_settings(tmp_path / "stoic.yml") == Settings()


def test_settings_are_read_and_their_faults_named(tmp_path: Path) -> None:
    (tmp_path / "stoic.yml").write_text("conversations: {at_once: 2}")
    assert load_settings(tmp_path / "stoic.yml").conversations.at_once == 2
    (tmp_path / "stoic.yml").write_text("conversations:\n")
    with pytest.raises(DocumentError, match=r"stoic\.yml:1: conversations: has no value"):
        load_settings(tmp_path / "stoic.yml")
