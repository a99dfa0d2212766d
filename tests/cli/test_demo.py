"""What the demo takes from its surroundings, and what it leaves alone."""

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stoic_assets.adapters.models.connect import uses_stand_in
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import demo
from stoic_assets.cli.child_process import UNINTERRUPTED, child_process
from stoic_assets.cli.demo import demo_workplace
from stoic_assets.core.configuration.graph_address import GraphAddress, stoic_address, subject_address
from stoic_assets.core.errors import ConfigurationError, ServiceUnreachable

SERVICES = {
    "NEO_URI": "bolt://mine:7687", "NEO_DATABASE": "mine", "STOIC_GRAPH_URI": "bolt://mine:7688",
    "STOIC_GRAPH_USERNAME": "mine", "STOIC_GRAPH_PASSWORD": "mine", "STOIC_GRAPH_DATABASE": "mine",
    "STOIC_WEBHOOK_URL": "http://mine", "EVOLUTION_URL": "http://mine", "BOOGIE_URL": "http://mine",
    "AGENT_URL": "http://mine", "AGENT_API_KEY": "mine", "EVOLUTION_SECRET": "mine", "STOIC_WEBHOOK_SECRET": "mine",
}


@pytest.mark.parametrize("live", [False, True])
def test_the_demo_leaves_every_service_of_the_user_alone(live: bool, tmp_path: Path) -> None:
    env = {"STOIC_HOME": str(tmp_path), "OPENAI_API_KEY": "a-key", **SERVICES}
    own = demo_workplace(open_workplace(env, start=tmp_path), live)
    assert (subject_address(own.env), stoic_address(own.env)) == (None, None)
    assert [name for name, value in own.env.items() if "mine" in value] == []
    assert uses_stand_in(own.env) is not live
    assert own.project.home == tmp_path


def test_a_fault_of_the_demo_says_to_run_the_demo_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its evaluations cannot be resumed, though the command that runs them says so: their agents end with it."""

    def failing(*_: object) -> None:
        fault = ConfigurationError("no credit left")
        fault.add_note("continue with `stoic eval`")
        raise fault

    monkeypatch.setattr(demo, "run_evaluation", failing)
    workplace = open_workplace({"STOIC_HOME": str(tmp_path)}, start=tmp_path)
    with pytest.raises(ConfigurationError) as caught:
        demo._evaluate(workplace, "1.0.0", "http://127.0.0.1:1")
    assert caught.value.__notes__ == ["run `stoic demo` again; it starts from the beginning"]


def test_both_releases_are_evaluated_in_order_and_the_report_of_the_candidate_is_named(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[Any] = []
    fakes: dict[str, Any] = {
        "open_workplace": lambda **_: workplace,
        "_running_agent": lambda release, graph: nullcontext(f"{graph}/{release}"),
        "_evaluate": lambda _, release, url: {"agent_version": f"marcus@{release}", "evaluation_id": url},
        "compare_versions": lambda _, *asked: asked, "_show": lambda *given: shown.extend(given[:2]),
        "comparison_document": lambda found: {"of": found, "flipped_assertions": []},
    }  # fmt: skip
    for name, fake in fakes.items():
        monkeypatch.setattr(demo, name, fake)
    graphs = SimpleNamespace(subject_address="http://graph")
    monkeypatch.setattr(type(workplace), "graphs", lambda _: nullcontext(graphs))
    demo.demo()
    base, candidate = "marcus@1.0.0", "marcus@1.1.0"
    compared = (base, candidate, "http://graph/1.0.0", "http://graph/1.1.0")
    assert shown == [compared, {"agent_version": candidate, "evaluation_id": "http://graph/1.1.0"}]
    demo.demo(as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert [each["agent_version"] for each in document["evaluations"]] == [base, candidate]
    assert document["comparison"]["of"] == list(compared)


def test_a_demo_agent_writes_to_the_graph_of_the_demo_and_ends_with_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not with Ctrl-C, which the demo hears; and nobody has to send it the key of the user's own agent."""
    code = "import json, os; print(json.dumps({'url': [os.getenv(name) for name in %r]}), flush=True); input()"
    names = ("NEO_URI", "NEO_USERNAME", "NEO_PASSWORD", "NEO_DATABASE", "AGENT_API_KEY")
    started: list[Any] = []

    def child(command: list[str], *given: Any, **more: Any) -> Any:
        started.extend((command, more))
        return child_process([sys.executable, "-c", code % (names,)], *given, **more)

    monkeypatch.setenv("AGENT_API_KEY", "of our own agent")
    monkeypatch.setattr(demo, "child_process", child)
    with demo._running_agent("1.1.0", GraphAddress("bolt://a:1", "ann", "secret", "subject")) as told:
        assert list(told) == ["bolt://a:1", "ann", "secret", "subject", None]
    command, more = started
    assert command[: len(UNINTERRUPTED)] == list(UNINTERRUPTED)
    assert {"--until-eof", "1.1.0"} <= set(command)
    assert more["tied"] is True


def test_a_demo_agent_that_does_not_start_is_told_with_its_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = [sys.executable, "-c", "raise SystemExit(3)"]
    monkeypatch.setattr(demo, "child_process", lambda _, *given, **more: child_process(ended, *given, **more))
    told = r"^the demo agent 1\.0\.0 did not start \(exit code 3\)$"
    with pytest.raises(ServiceUnreachable, match=told), demo._running_agent("1.0.0", GraphAddress("bolt://a:1")):
        pass


def test_in_a_home_that_would_be_misread_no_agent_is_started(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STOIC_HOME", str(tmp_path / "home[1]"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(type(workplace), "graphs", lambda _: nullcontext(SimpleNamespace(subject_address="")))
    monkeypatch.setattr(demo, "_running_agent", lambda *_: pytest.fail("an agent is started"))
    with pytest.raises(ConfigurationError, match=r"misreads '\[1\]' in the path"):
        demo.demo()
