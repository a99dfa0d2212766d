"""`stoic agent`: the key that callers must send."""

import signal
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.agent import agent
from stoic_assets.demo import service


@pytest.mark.parametrize(
    ("option", "variable", "key"),
    [("option", "variable", "option"), (None, "variable", "variable"), (None, None, "file"), (None, "", "")],
)
def test_the_demo_agent_asks_for_the_key_of_the_option_or_the_environment_or_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str | None, variable: str | None, key: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("AGENT_API_KEY=file\n")
    monkeypatch.delenv("AGENT_API_KEY", raising=False)
    if variable is not None:
        monkeypatch.setenv("AGENT_API_KEY", variable)
    asked: list[Any] = []
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(Workplace, "graphs", lambda _: nullcontext(SimpleNamespace(subject="graph")))
    monkeypatch.setattr(service, "serve", lambda *given: asked.append(given))
    agent(api_key=option)
    assert asked == [("1.0.0", 8081, "graph", key, "127.0.0.1")]
