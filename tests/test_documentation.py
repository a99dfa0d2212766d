"""The documents against the code: links resolve, commands exist, and nothing that users set is left undescribed."""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from dagster import AssetKey, validate_run_config
from pydantic import BaseModel

from stoic_assets.adapters.disk.configuration_files import yaml_files
from stoic_assets.adapters.disk.job_files import load_job, load_jobs
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.command_line import command_line
from stoic_assets.core.jobs.job import job_json_schema
from stoic_assets.core.jobs.slips import doubts
from stoic_assets.core.own_variables import OWN
from stoic_assets.core.releases import Release
from stoic_assets.core.settings import Settings
from stoic_assets.defs.assembly import ASSETS, build_definitions

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
TEXT = {".md", ".py", ".yml", ".yaml", ".toml", ".sql", ".jinja", ".css", ".js", ".json", ".xml", ".example", ""}
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
INLINE = re.compile(r"`(stoic [\w-][^`]*)`")
"""A command within a sentence."""
FILE = re.compile(r"(?<![\w/.])(?:tests|benchmarks|deploy|stoic_assets)/[\w/.-]+\.[a-z]+\b")
MODULE = re.compile(r"python -m ((?:benchmarks|stoic_assets)[\w.]*)")
ROW = re.compile(r"^\| (`[^|]+?) \|", re.MULTILINE)
MACHINE = re.compile(r"(?<![\w.$~{}*])/(?:tmp|work|root|home)/\w|pypi[.]org|files[.]pythonhosted|repo1[.]maven")
"""Places and hosts of one machine; written so that this file does not hold what it forbids."""


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def rows(text: str) -> list[str]:
    """What stands in backticks in the first cell of every table row."""
    return [name for cell in ROW.findall(text) for name in re.findall(r"`([^`]+)`", cell)]


def anchors(text: str) -> set[str]:
    """The fragments of a document's headings, as Markdown pages make them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def commands(group: Any = None, path: tuple[str, ...] = ("stoic",)) -> Iterator[tuple[str, Any]]:
    """Every command by its full name, as `stoic --help` and its sub-commands list them."""
    group = group or typer.main.get_command(command_line())
    for name, command in group.commands.items():
        inner = (*path, name)
        if hasattr(command, "commands"):
            yield from commands(command, inner)
        else:
            yield " ".join(inner), command


def options(command: Any) -> set[str]:
    return {option for parameter in command.params for option in parameter.opts if option.startswith("--")}


def settings_keys(model: BaseModel, path: str = "") -> Iterator[tuple[str, Any]]:
    """The dotted keys of `stoic.yml` with their defaults; those that every endpoint has stand once, under `*`."""
    for name in type(model).model_fields:
        key, value = f"{path}{name}", getattr(model, name)
        if isinstance(value, BaseModel):
            yield from settings_keys(value, "limits.*." if path == "limits." else f"{key}.")
        else:
            yield key, value


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for link in LINK.findall(text):
        if re.match(r"https?://", link):
            continue
        target, _, fragment = link.partition("#")
        file = (document.parent / target) if target else document
        assert file.exists(), f"{link} is not there"
        if fragment:
            assert fragment in anchors(file.read_text(encoding="utf-8")), f"{link} has no such heading"


def test_every_document_is_reached_from_the_readme() -> None:
    reached, waiting = set[Path](), [ROOT / "README.md"]
    while waiting:
        document = waiting.pop()
        reached.add(document)
        links = [link.partition("#")[0] for link in LINK.findall(document.read_text(encoding="utf-8"))]
        linked = {(document.parent / link).resolve() for link in links if link}
        waiting += [path for path in DOCUMENTS if path in linked - reached]
    assert reached == set(DOCUMENTS)


def test_the_pictures_are_small() -> None:
    pictures = sorted((ROOT / "docs" / "pictures").glob("*.png"))
    assert [picture.name for picture in pictures] == ["asset_graph.png", "report.png"]
    assert all(picture.stat().st_size < 300_000 for picture in pictures)


def test_the_readmes_job_loads(tmp_path: Path) -> None:
    [block] = [block for language, block in FENCE.findall(text_of("README.md")) if language == "yaml"]
    (tmp_path / "my_agent.yml").write_text(block)
    job = load_job(tmp_path / "my_agent.yml")
    assert (job.name, len(job.facts), job.is_isolated()) == ("my_agent", 1, True)
    assert doubts([job], subject_is_embedded=True) == []


def test_the_jobs_of_the_documents_load(tmp_path: Path) -> None:
    blocks = [block for language, block in FENCE.findall(text_of("docs/jobs.md")) if language == "yaml"]
    for number, block in enumerate(blocks):
        (tmp_path / f"job_{number}.yml").write_text(block)
    jobs = load_jobs(yaml_files(tmp_path))
    assert [len(job.assertions) for job in jobs] == [3, 1, 2]
    assert doubts(jobs, subject_is_embedded=True) == []


def test_the_template_of_the_documents_renders(tmp_path: Path) -> None:
    blocks = dict(FENCE.findall(text_of("docs/judging.md")))
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "shop_wisdom.jinja").write_text(blocks["jinja"])
    (tmp_path / "refund.yml").write_text(blocks["yaml"])
    assert list(load_job(tmp_path / "refund.yml").prompts) == ["wisdom"]


def test_no_job_that_is_shipped_leaves_a_doubt() -> None:
    jobs = load_jobs([*yaml_files(ROOT / "eval_jobs"), *yaml_files(ROOT / "tests" / "jobs")])
    assert len(jobs) > 10
    assert doubts(jobs, subject_is_embedded=True) == []


def shell_lines() -> Iterator[str]:
    """The lines of all shell blocks, without comments; a continued line is one."""
    for document in DOCUMENTS:
        for language, block in FENCE.findall(document.read_text(encoding="utf-8")):
            lines = block.replace("\\\n", " ").splitlines() if language == "sh" else []
            yield from (line.split("  #")[0].strip() for line in lines if line.strip())


def test_shown_commands_exist() -> None:
    known = dict(commands())
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    shown = [shlex.split(line.partition(">")[0]) for line in shell_lines()]
    assert len(shown) > 10
    for words in shown:
        if words[0] == "make":
            assert set(words[1:]) <= targets, words
        elif words[0] == "stoic":
            check_command(words, known)


def check_command(words: list[str], known: dict[str, Any]) -> None:
    """Whether words call a command that exists, and with its own options."""
    command = known.get(" ".join(words[:3])) or known.get(" ".join(words[:2]))
    assert command, words
    assert {word for word in words if word.startswith("--")} <= options(command), words


def test_commands_named_in_sentences_exist() -> None:
    known = dict(commands())
    groups = {name.rpartition(" ")[0] for name in known}
    of_the_program = {"--help", "--version", "COMMAND"}
    places = [*DOCUMENTS, *(ROOT / "stoic_assets").rglob("*.py")]
    texts = [FENCE.sub("", place.read_text(encoding="utf-8")) for place in places]
    named = [words for text in texts for line in INLINE.findall(text) if (words := line.split())]
    assert len(named) > 100
    for words in named:
        if words[1] not in of_the_program and " ".join(words) not in groups:
            check_command(words, known)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_files_and_modules_that_are_named_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert [file for file in FILE.findall(text) if not (ROOT / file).exists()] == []
    modules = [ROOT / module.replace(".", "/") for module in MODULE.findall(text)]
    assert [each for each in modules if not each.is_dir() and not each.with_suffix(".py").is_file()] == []


COMMAND = re.compile(r"^## (stoic [a-z ]+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
"""The name of a command in docs/commands.md, and what stands there of it."""


def test_every_command_and_option_is_described() -> None:
    described = {
        name: {row for row in rows(text) if row.startswith("--")}
        for name, text in COMMAND.findall(text_of("docs/commands.md"))
    }
    everywhere = {"--verbose"}
    assert {name: found | everywhere for name, found in described.items()} == {
        name: options(command) for name, command in commands()
    }


def test_the_help_calls_values_as_the_documents_do() -> None:
    known = dict(commands())
    for name, text in COMMAND.findall(text_of("docs/commands.md")):
        shown = dict(re.findall(r"^\| `(--[a-z-]+)` ?(\S*?) \|", text, re.MULTILINE))
        values = {parameter.opts[0]: parameter.metavar or "" for parameter in known[name].params}
        choices = {option for option, value in values.items() if "|" in value}  # which the text names
        assert {option: values[option] for option in shown.keys() - choices} == {
            option: value for option, value in shown.items() if option not in choices
        }, name


def test_every_key_of_a_job_is_described() -> None:
    schema = job_json_schema()
    keys = {key for part in (schema, *schema["$defs"].values()) for key in part.get("properties", {})}
    assert set(rows(text_of("docs/jobs.md"))) - {"withheld", "supplied"} == keys


def test_every_setting_is_described_with_its_default() -> None:
    described = dict(re.findall(r"^\| `([a-z_.*]+)` \| ([^|]+) \|", section("stoic.yml"), re.MULTILINE))
    existing = dict(reversed([*settings_keys(Settings())]))  # of the endpoints the first counts
    assert described.keys() == existing.keys()
    for key, default in existing.items():
        if isinstance(default, bool):
            assert described[key] == f"`{json.dumps(default)}`", key
        elif isinstance(default, int | float):
            assert described[key].startswith(f"{default:g}"), key


def section(heading: str) -> str:
    """A second-level section of the document about configuration."""
    return text_of("docs/configuration.md").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_the_shipped_settings_are_the_defaults() -> None:
    shipped = Settings.model_validate(yaml.safe_load(text_of("stoic.yml")))
    assert shipped == Settings()


def test_every_key_of_a_release_manifest_is_described() -> None:
    assert set(rows(section("Release manifests"))) == set(Release.known_keys())


def test_every_environment_variable_is_described() -> None:
    described = set(rows(section("Environment")))
    offered = set(re.findall(r"^#? ?([A-Z_]+)=", text_of(".env.example"), re.MULTILINE))
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "stoic_assets").rglob("*.py"))
    read = set(re.findall(r'"((?:STOIC|NEO|OPENAI|AGENT|BOOGIE|EVOLUTION)_[A-Z_]+)"', code)) - {"STOIC_GRAPH"}
    assert read <= described
    assert {name for name in described if name.startswith("STOIC_")} <= OWN
    assert offered <= described
    assert described - offered == {"STOIC_GRAPH_SHARED"}  # nobody should set it without having read about it


def test_the_run_configuration_shown_is_valid(workplace: Workplace) -> None:
    of_job, of_page = [
        yaml.safe_load(block) for language, block in FENCE.findall(text_of("docs/dagster.md")) if language == "yaml"
    ]
    definitions = build_definitions(workplace)
    pages = definitions.resolve_implicit_global_asset_job_def().get_subset(asset_selection={AssetKey("rating_pages")})
    assert validate_run_config(definitions.resolve_job_def("release_evaluation"), of_job)
    assert validate_run_config(pages, of_page)
    fields = next(asset for asset in ASSETS if asset.op.name == "transcripts").op.config_schema.config_type.fields
    assert set(of_job["ops"]["transcripts"]["config"]) == set(fields)


def test_every_asset_is_described() -> None:
    text = text_of("docs/dagster.md")
    names = {key.to_user_string() for asset in ASSETS for key in asset.keys}
    assert {name for name in names if f"`{name}`" not in text} == set()


def test_every_job_schedule_and_sensor_is_named(workplace: Workplace) -> None:
    text = "".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    found = build_definitions(workplace)
    names = {each.name for each in (*found.jobs, *found.schedules, *found.sensors)}
    assert {"night", "nightly", "night_watch"} <= names
    assert {name for name in names if f"`{name}`" not in text} == set()


def test_no_text_names_a_machine() -> None:
    # Containers often run as another user than the one who cloned.
    listing = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    files = [ROOT / name for name in names if Path(name).suffix in TEXT and (ROOT / name).is_file()]
    assert len(files) > 100
    found = {
        f"{file.relative_to(ROOT)}: {hit.group()}"
        for file in files
        if (hit := MACHINE.search(file.read_text(encoding="utf-8")))
    }
    assert found == set()
