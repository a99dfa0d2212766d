"""What a `.env` gives, and what is refused in it instead of being left out."""

from pathlib import Path

import pytest

from stoic_assets.adapters.disk.env_file import read_env_file
from stoic_assets.core.errors import ConfigurationError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / ".env"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("# keys\n\nA=1\nexport B='two words'\nC=\nD\n", {"A": "1", "B": "two words"}),
        ('A="1\n2"\n', {"A": "1\n2"}),
        ("\ufeffA=1\r\nB=2\r\n", {"A": "1", "B": "2"}),
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
        ("= sk-secret", 1),
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
