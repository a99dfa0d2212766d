"""Files that users write: YAML documents and `.env`."""

from pathlib import Path

import pytest

from stoic_assets.adapters.disk.configuration_files import (
    load_settings,
    mentions,
    read_document,
    read_env_file,
    read_text,
    yaml_files,
)
from stoic_assets.adapters.disk.job_files import load_job
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.errors import ConfigurationError, DocumentError
from stoic_assets.core.jobs.job import Job

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


def test_the_yaml_files_of_a_folder_are_told_by_name_without_those_that_editors_hide(tmp_path: Path) -> None:
    for name in ("b.yml", "a.yaml", "notes.txt", "job.schema.json", "._b.yml", ".a.yaml"):
        (tmp_path / name).touch()
    (tmp_path / ".#b.yml").symlink_to("ada@host.4711:1")
    assert [file.name for file in yaml_files(tmp_path)] == ["a.yaml", "b.yml"]
    assert yaml_files(tmp_path / "nowhere") == []


def test_a_file_that_does_not_read_is_searched_for_whole_words(tmp_path: Path) -> None:
    """In its name too, and whatever its encoding."""
    (tmp_path / "marcus-2.yml").write_bytes(b"agent: zeno\nversion: b\xeata [\n")
    words = ("zeno", "zen", "eno", "marcus", "marc", "seneca")
    assert [word for word in words if mentions(tmp_path / "marcus-2.yml", [word])] == ["zeno", "marcus"]
    assert mentions(tmp_path / "gone.yml", ["gone", "seneca"])


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


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / ".env"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("# keys\n\nA=1\nexport B='two words'\nC=\n", {"A": "1", "B": "two words"}),
        ('A="1\n2"\n', {"A": "1\n2"}),
        ("\ufeffA=1\r\nB=2\r\n", {"A": "1", "B": "2"}),
        ("A=a${b}c\nB='${A}'\nC=\"$A ${A:-x}\"\n", {"A": "a${b}c", "B": "${A}", "C": "$A ${A:-x}"}),
        ("A=1\nA=2\n", {"A": "2"}),
        (r"A=a#\n #b", {"A": r"a#\n"}),
        (r"A='a #\n\\\''", {"A": r"a #\n\'"}),
        (r'A="a #\n\""', {"A": 'a #\n"'}),
    ],
)
def test_variables_with_a_value_count(file: Path, text: str, found: dict[str, str]) -> None:
    file.write_bytes(text.encode())
    assert read_env_file(file) == found


def test_without_a_file_and_beside_a_virtual_environment_there_is_none(file: Path) -> None:
    assert read_env_file(file) == {}
    file.mkdir()
    assert read_env_file(file) == {}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('A=1\nOPENAI_API_KEY="sk-secret\nB=2\n', 2), ("A=1\n\n\n= sk-secret\n", 4), ("OPENAI_API_KEY sk-secret\n", 1),
        ("= sk-secret", 1), ("A=1\nOPENAI_API_KEY\n", 2), ("\n\nexport OPENAI_API_KEY\n", 3), ("A\n# sk-secret", 1),
    ],
)  # fmt: skip
def test_a_line_that_would_be_left_out_is_refused_without_its_content(file: Path, text: str, line: int) -> None:
    file.write_text(text)
    with pytest.raises(ConfigurationError, match=rf"\.env:{line}: not NAME=value, or a quotation mark") as refused:
        read_env_file(file)
    assert "secret" not in str(refused.value)


def test_a_file_in_another_encoding_is_refused(file: Path) -> None:
    file.write_bytes("OPENAI_API_KEY=sk-secret\n".encode("utf-16"))
    with pytest.raises(ConfigurationError, match=r"\.env: cannot be read: 'utf-8' codec"):
        read_env_file(file)
