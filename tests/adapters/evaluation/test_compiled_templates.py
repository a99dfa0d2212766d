from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from stoic_assets.adapters.evaluation.report import CompiledTemplates


def rendered(folder: Path, text: str = "Salve, {{ name }}.") -> str:
    environment = Environment(
        loader=DictLoader({"page": text}), bytecode_cache=CompiledTemplates(folder), autoescape=True
    )
    return environment.get_template("page").render(name="Lucius")


def test_a_second_process_need_not_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rendered(tmp_path) == "Salve, Lucius."
    monkeypatch.setattr(Environment, "compile", None)
    assert rendered(tmp_path) == "Salve, Lucius."


def test_a_changed_template_is_compiled_anew(tmp_path: Path) -> None:
    rendered(tmp_path)
    assert rendered(tmp_path, "Vale, {{ name }}.") == "Vale, Lucius."


def test_where_nothing_can_be_kept_it_is_compiled_every_time(tmp_path: Path) -> None:
    assert rendered(tmp_path / "missing") == "Salve, Lucius."
