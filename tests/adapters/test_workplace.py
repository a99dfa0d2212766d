import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stoic_assets.adapters.disk.files import StorageError
from stoic_assets.adapters.evaluation.tables import EvaluationTables
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli.dagster_instance import dagster_home
from stoic_assets.core.calls.chat import ChatRequest
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.progress import Progress

Open = Callable[..., Workplace]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """The workplace of a project whose files are given by their text; the environment as keyword arguments."""

    def make(files: dict[str, str] | None = None, **env: str) -> Workplace:
        (tmp_path / "eval_jobs").mkdir(exist_ok=True)
        for name, text in (files or {}).items():
            (tmp_path / name).write_text(text)
        return open_workplace(env, start=tmp_path / "eval_jobs")

    return make


def test_a_bare_project_has_defaults_and_a_home(opened: Open, tmp_path: Path) -> None:
    workplace = opened()
    assert workplace.settings == Settings()
    assert workplace.project.root == tmp_path
    assert (tmp_path / ".stoic" / "warehouse").is_dir()
    assert workplace.reports == tmp_path / ".stoic" / "reports"
    assert workplace.judge_cache("marcus@1") == tmp_path / ".stoic" / "cache" / "marcus@1"


def test_a_blank_or_slash_after_the_models_address_loses_no_cached_reply(
    opened: Open, make_manifest: Callable[..., Manifest], service: Any
) -> None:
    service.replies({"choices": [{"message": {"content": "Salve"}}]})
    asked = ChatRequest("judge", "m", ({"role": "user", "content": "?"},), 0.0, cacheable_as="q")
    models = [opened(OPENAI_BASE_URL=service.url + end).model(make_manifest()) for end in ("", " ", "/")]
    assert [asyncio.run(model.complete(asked)).cached for model in models] == [False, True, True]


@pytest.mark.parametrize("left", ["", "half"])
def test_no_model_is_called_for_a_journal_that_has_lost_calls(
    opened: Open, make_manifest: Callable[..., Manifest], service: Any, left: str
) -> None:
    service.replies({"choices": [{"message": {"content": "Salve"}}]})
    workplace, manifest = opened(OPENAI_BASE_URL=service.url), make_manifest()
    journal, model = workplace.evidence.journal_file(manifest), workplace.model(manifest)
    for question in ("a", "b"):
        asyncio.run(model.complete(ChatRequest("evaluator", "m", ({"role": "user", "content": question},), 0.0)))
    EvaluationTables(workplace, manifest).write_calls()
    workplace.model(manifest)
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:1]) if left else "")
    lost = f"lacks {1 if left else 2} of 2 calls that the evaluation made; restore the file from a backup"
    with pytest.raises(StorageError, match=lost):
        workplace.model(manifest)


def test_judges_with_other_options_are_asked_again(
    opened: Open, make_manifest: Callable[..., Manifest], service: Any
) -> None:
    service.replies({"choices": [{"message": {"content": "Salve"}}]})
    manifest, judge = make_manifest(judge_models=("the one before",)), "sage"
    asked = ChatRequest("judge", judge, ({"role": "user", "content": "?"},), 0.0, cacheable_as="q")
    cached = []
    for options in ("{}", f"{{{judge}: {{seed: 1}}}}", "{other: {seed: 1}}", f"{{{judge}: {{seed: 2}}}}"):
        settings = f"judging: {{model_options: {options}}}"
        model = opened({"stoic.yml": settings}, OPENAI_BASE_URL=service.url, STOIC_JUDGE_MODEL=judge).model(manifest)
        cached.append(asyncio.run(model.complete(asked)).cached)
    assert cached == [False, False, True, False]


def test_a_judge_is_not_paid_again_for_a_change_of_another_judge(
    opened: Open, make_manifest: Callable[..., Manifest], service: Any
) -> None:
    service.replies({"choices": [{"message": {"content": "Salve"}}]})
    asked = ChatRequest("judge", "sage", ({"role": "user", "content": "?"},), 0.0, cacheable_as="q")
    cached = []
    for panel, seed in (("sage", 1), ("sage,other", 1), ("sage,other", 2)):
        settings = f"judging: {{model_options: {{other: {{seed: {seed}}}}}}}"
        workplace = opened({"stoic.yml": settings}, OPENAI_BASE_URL=service.url, STOIC_JUDGE_MODEL=panel)
        cached.append(asyncio.run(workplace.model(make_manifest()).complete(asked)).cached)
    assert cached == [False, True, True]


def test_a_judge_who_is_asked_afresh_gives_another_reply_without_secrets(
    opened: Open, make_manifest: Callable[..., Manifest], service: Any
) -> None:
    service.replies({"choices": [{"message": {"content": "agent-key-1"}}]})
    workplace, manifest = opened(OPENAI_BASE_URL=service.url, AGENT_API_KEY="agent-key-1"), make_manifest()
    asked = ChatRequest("judge", "m", ({"role": "user", "content": "?"},), 0.0, cacheable_as="q")
    replies = [asyncio.run(workplace.model(manifest, fresh=fresh).complete(asked)) for fresh in (False, True, False)]
    assert [(reply.text, reply.cached) for reply in replies] == [
        ("[redacted]", False), ("[redacted]", False), ("[redacted]", True)
    ]  # fmt: skip


@pytest.mark.parametrize(("settings", "max_cost"), [("max_cost: 1", None), ("", 1.0)])
def test_a_ceiling_is_kept_whether_a_command_or_the_settings_name_it(
    opened: Open, make_manifest: Callable[..., Manifest], service: Any, settings: str, max_cost: float | None
) -> None:
    model = opened({"stoic.yml": settings}, OPENAI_BASE_URL=service.url).model(make_manifest(), max_cost)
    with pytest.raises(ConfigurationError, match="a cost ceiling needs the price of m"):
        asyncio.run(model.complete(ChatRequest("evaluator", "m", ({"role": "user", "content": "?"},), 0.0)))
    assert service.seen == []


def test_an_evaluation_is_known_by_its_manifest_or_by_its_row(
    workplace: Workplace, make_manifest: Callable[..., Manifest]
) -> None:
    workplace.evidence.begin(begun := make_manifest(evaluation_id="begun"))
    workplace.evidence.begin(make_manifest(evaluation_id="stored"))
    EvaluationTables(workplace, make_manifest(evaluation_id="stored")).write_head("finished", planned_trials=0)
    (workplace.evidence.folder(begun.agent_version, "stored") / "manifest.json").unlink()
    known = [workplace.has_evaluation(begun.agent_version, each) for each in ("begun", "stored", "neither")]
    assert known == [True, True, False]


def test_the_environment_goes_before_the_file_and_the_file_before_nothing(opened: Open, tmp_path: Path) -> None:
    text = "A=file\nB=file\nC=\nSTOIC_HOME=" + str(tmp_path / "elsewhere")
    workplace = opened({".env": text, "stoic.yml": "judging: {samples: 3}"}, A="outer")
    assert {name: workplace.env.get(name) for name in "ABC"} == {"A": "outer", "B": "file", "C": None}
    assert workplace.project.home == tmp_path / "elsewhere"
    assert workplace.settings.judging.samples == 3


def test_connections_heed_what_the_file_says_of_proxies_and_certificates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "eval_jobs").mkdir()
    text = f"STOIC_HOME={tmp_path}\nSSL_CERT_FILE=issuers.pem\nHTTP_PROXY=http://file:1\nHTTPS_PROXY=http://file:1\n"
    (tmp_path / ".env").write_text(text + "NO_PROXY=inside.example")
    monkeypatch.setattr(os, "environ", {"HTTPS_PROXY": "http://outer:1"})
    open_workplace(start=tmp_path)
    assert os.environ["SSL_CERT_FILE"] == str(tmp_path / "issuers.pem")
    assert (os.environ["HTTP_PROXY"], os.environ["HTTPS_PROXY"]) == ("http://file:1", "http://outer:1")
    assert os.environ["NO_PROXY"] == "inside.example"


def test_a_process_and_its_children_heed_a_changed_file_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = {"STOIC_HOME": str(tmp_path), "NO_PROXY": "outer"}
    monkeypatch.setattr(os, "environ", env)

    def proxies(text: str) -> dict[str, str]:
        (tmp_path / ".env").write_text(text)
        known = open_workplace(start=tmp_path).env
        seen = {name: value for name, value in os.environ.items() if name.endswith("_PROXY")}
        assert {name: value for name, value in known.items() if name.endswith("_PROXY")} == seen
        return seen

    first = proxies("HTTP_PROXY=http://a:1\nHTTPS_PROXY=http://a:1\nNO_PROXY=file")
    assert first == {"HTTP_PROXY": "http://a:1", "HTTPS_PROXY": "http://a:1", "NO_PROXY": "outer"}
    monkeypatch.setattr(os, "environ", dict(os.environ))  # as a child gets it
    assert proxies("HTTPS_PROXY=http://b:2") == {"HTTPS_PROXY": "http://b:2", "NO_PROXY": "outer"}
    os.environ["HTTPS_PROXY"] = "http://c:3"
    assert proxies("HTTPS_PROXY=http://b:2") == {"HTTPS_PROXY": "http://c:3", "NO_PROXY": "outer"}
    del os.environ["HTTPS_PROXY"]
    assert proxies("") == {"NO_PROXY": "outer"}


def test_relative_folders_in_the_file_are_the_projects_in_the_environment_of_the_current_folder(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = {".env": "STOIC_HOME=state\nSTOIC_WAREHOUSE=../facts\nDAGSTER_HOME=~/dagster"}
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    project = opened(file).project
    assert (project.home, project.warehouse.resolve()) == (tmp_path / "state", tmp_path.parent / "facts")
    assert dagster_home(opened(file)) == tmp_path / "me" / "dagster"
    outer = opened(file, STOIC_HOME="state", STOIC_WAREHOUSE="facts", DAGSTER_HOME="dagster")
    here = [outer.project.home, outer.project.warehouse, dagster_home(outer)]
    assert here == [tmp_path / "here" / name for name in ("state", "facts", "dagster")]


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ("judging: {sample: 3}", r"stoic\.yml:1: judging\.sample: unknown key; did you mean 'samples'"),
        ("redact: ['(']", r"stoic\.yml:1: redact\[0\]: '\(' is not a regular expression"),
        ("redact: ['a{99999999999999999999}']", r"stoic\.yml:1: redact\[0\]: .* is not a regular expression"),
    ],
)
def test_wrong_settings_are_told_at_once(opened: Open, settings: str, fault: str) -> None:
    with pytest.raises(ConfigurationError, match=fault):
        opened({"stoic.yml": settings})


def test_configured_keys_and_passwords_are_blanked_wherever_they_stand(opened: Open) -> None:
    workplace = opened(
        {".env": "AGENT_API_KEY=agent-key-1"}, OPENAI_API_KEY=" model-key-1 ", NEO_PASSWORD="tr0ub4dor",
        STOIC_GRAPH_URI="bolt://neo4j:p%40ssw0rd@graph:7687", CRM_TOKEN="for-a-header", MAP_KEY="north",
        STOIC_BROKER_URL="redis://:in-the-queue@queue:6379/0", HTTPS_PROXY="http://me:at-the-door@proxy:3128",
    )
    said = "agent-key-1, model-key-1, tr0ub4dor, p@ssw0rd and for-a-header are known, north not"
    shown = workplace.redactor.text(said)
    assert shown == "[redacted], [redacted], [redacted], [redacted] and [redacted] are known, north not"
    assert workplace.redactor.text("in-the-queue, at-the-door") == "[redacted], [redacted]"


def test_whoever_watches_is_told_how_to_blank_them(tmp_path: Path) -> None:
    told: list[Callable[[object], object]] = []

    class Watching(Progress):
        def clean_by(self, clean: Callable[[object], object]) -> None:
            told.append(clean)

    open_workplace({"AGENT_API_KEY": "agent-key-1"}, Watching(), tmp_path)
    assert told[0]({"said": ["it is agent-key-1"]}) == {"said": ["it is [redacted]"]}


def test_whoever_needs_the_graph_alone_waits_for_all_others(opened: Open) -> None:
    """Two workplaces of one home, as in two processes."""
    first, second = opened(), opened()
    order: list[str] = []

    async def use(workplace: Workplace, name: str, alone: bool, end: asyncio.Event) -> None:
        async with workplace.graph_access(alone):
            order.append(f"{name} in")
            await end.wait()
            order.append(f"{name} out")

    async def main() -> None:
        end = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(use(first, "a", False, end))
            group.create_task(use(second, "b", False, end))
            while len(order) < 2:
                await asyncio.sleep(0.01)
            group.create_task(use(second, "alone", True, end))
            await asyncio.sleep(0.1)
            end.set()

    asyncio.run(main())
    assert sorted(order[:2]) == ["a in", "b in"]
    assert sorted(order[2:4]) == ["a out", "b out"]
    assert order[4:] == ["alone in", "alone out"]


@pytest.mark.parametrize("spoil", [Path.mkdir, lambda file: file.write_bytes(b"no database" * 100)])
def test_a_lock_of_the_graph_that_cannot_be_opened_is_named(opened: Open, spoil: Callable[[Path], object]) -> None:
    workplace = opened()
    spoil(workplace.project.home / "subject_graph.lock")

    async def main() -> None:
        async with workplace.graph_access(alone=False):
            pass

    with pytest.raises(StorageError, match=r"subject_graph\.lock cannot be used: .*; a damaged file may be deleted"):
        asyncio.run(main())


@pytest.mark.parametrize("name", ["STOIC_HOME", "STOIC_WAREHOUSE", "DAGSTER_HOME"])
def test_a_path_that_is_no_text_is_refused_before_anything_is_made(tmp_path: Path, name: str) -> None:
    for to_read in (False, True):
        with pytest.raises(ConfigurationError, match="is no text in this locale"):
            open_workplace({name: str(tmp_path / "\udce4b")}, start=tmp_path, to_read=to_read)
    assert not list(tmp_path.rglob("*"))
