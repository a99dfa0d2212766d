"""A small project of its own, two releases of the demo agent at work, and the web UI over them."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from web_ui import CHROMIUM, STOIC, chromium, graphql, web_ui

ROOT = Path(__file__).parents[2]
JOBS = ("reminder_cancel", "memory_text_seed")
OURS = ("STOIC_", "NEO_", "OPENAI_", "AGENT_", "BOOGIE_", "EVOLUTION_", "DAGSTER_")
LOCATION = {"repositoryName": "__repository__", "repositoryLocationName": "stoic"}
ENDED = {"SUCCESS", "FAILURE", "CANCELED"}
RUN_SECONDS = 150
RELEASED_SECONDS = 120

ADDED = "AddDynamicPartitionSuccess"
ADD = """mutation($key: String!, $at: RepositorySelector!) {
  addDynamicPartition(partitionsDefName: "agent_version", partitionKey: $key, repositorySelector: $at) {
  __typename }}"""
LAUNCH = """mutation($run: ExecutionParams!) { launchRun(executionParams: $run) {
  __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }
  ... on RunConfigValidationInvalid { errors { message } } }}"""
STATUS = "query($id: ID!) { runOrError(runId: $id) { ... on Run { status } }}"
RUNS = """query { runsOrError(filter: {pipelineName: "release_evaluation"}) {
  ... on Runs { results { runId tags { key value } } } } }"""
METADATA = """query($key: AssetKeyInput!, $partition: String!) { assetOrError(assetKey: $key) { ... on Asset {
  assetMaterializations(partitions: [$partition], limit: 1) { metadataEntries {
    label ... on FloatMetadataEntry { floatValue } ... on TextMetadataEntry { text } } } } }}"""


@dataclass(frozen=True)
class WebUi:
    """A running web UI, by what its pages ask of the web server. `agents` are the demo agent's addresses by release."""

    url: str
    agents: Mapping[str, str]
    home: Path

    def add_partition(self, version: str) -> None:
        """Adds an agent version, as soon as the code location is loaded: until then Dagster calls it unauthorised."""
        deadline = time.monotonic() + 60
        while (added := graphql(self.url, ADD, key=version, at=LOCATION)["addDynamicPartition"]["__typename"]) != ADDED:
            assert time.monotonic() < deadline, added
            time.sleep(1)

    def launch(self, version: str, assets: Sequence[str], config: Mapping[str, Any] | None = None) -> str:
        """Materialises assets of one version; `config` is what a user types into the launchpad. Returns the run."""
        selected = {"assetSelection": [{"path": [name]} for name in assets], "assetCheckSelection": None}
        run = {
            "selector": {**LOCATION, "pipelineName": "__ASSET_JOB", **selected},
            "mode": "default", "runConfigData": config or {},
            "executionMetadata": {"tags": [{"key": "dagster/partition", "value": version}]},
        }
        launched = graphql(self.url, LAUNCH, run=run)["launchRun"]
        assert launched["__typename"] == "LaunchRunSuccess", launched
        return str(launched["run"]["runId"])

    def released(self, *versions: str) -> dict[str, str]:
        """The runs that manifests led to, by agent version, once there is one of each of `versions`."""
        deadline, found = time.monotonic() + RELEASED_SECONDS, dict[str, str]()
        while time.monotonic() < deadline:
            runs = graphql(self.url, RUNS)["runsOrError"]["results"]
            tags = [(run["runId"], tag) for run in runs for tag in run["tags"]]
            found = {tag["value"]: run_id for run_id, tag in tags if tag["key"] == "dagster/partition"}
            if found.keys() >= set(versions):
                return found
            time.sleep(0.5)
        raise AssertionError(f"after {RELEASED_SECONDS} s there are runs of {sorted(found)}")

    def ended(self, run: str) -> str:
        """The status of a run that has ended, or the one in which it still is when its time is up."""
        deadline, status = time.monotonic() + RUN_SECONDS, ""
        while status not in ENDED and time.monotonic() < deadline:
            status = graphql(self.url, STATUS, id=run)["runOrError"]["status"]
            time.sleep(0.3)
        return status

    def metadata(self, asset: str, version: str) -> dict[str, Any]:
        """Numbers and texts of the last materialisation of an asset for one version."""
        found = graphql(self.url, METADATA, key={"path": [asset]}, partition=version)["assetOrError"]
        [last] = found["assetMaterializations"]
        return {entry["label"]: entry.get("floatValue", entry.get("text")) for entry in last["metadataEntries"]}

    def files(self, table: str, version: str) -> list[Path]:
        """The Parquet files of a table and version."""
        return sorted((self.home / "warehouse" / table / f"agent_version={version}").glob("*.parquet"))


@pytest.fixture
def browser() -> Iterator[Any]:
    """Headless Chromium."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium on PATH")
    with chromium() as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with two of the demo's jobs, and the Dagster files of the repository."""
    folder = tmp_path / "project"
    for file in [*(f"eval_jobs/{job}.yml" for job in JOBS), "workspace.yaml", "dagster.yaml"]:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, folder / file)
    (folder / "releases").mkdir()
    return folder


@pytest.fixture
def ui(browser: Any, project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebUi]:
    """The web UI of that project, offline, with both releases. After the browser: without one nothing need start."""
    for name in [name for name in os.environ if name.startswith(OURS)]:
        monkeypatch.delenv(name)
    env = {"STOIC_HOME": str(project / "home"), "STOIC_LLM": "offline"}
    with ExitStack() as stack:
        agents = {release: stack.enter_context(demo_agent(release, project, env)) for release in ("1.0.0", "1.1.0")}
        for release, url in agents.items():
            parents = "parents: [1.0.0]\n" if release == "1.1.0" else ""
            manifest = f"agent: marcus\nversion: {release}\nurl: {url}\n{parents}"
            (project / "releases" / f"marcus-{release}.yml").write_text(manifest)
        yield WebUi(stack.enter_context(web_ui(project, env)), agents, project / "home")


@contextmanager
def demo_agent(release: str, project: Path, env: Mapping[str, str]) -> Iterator[str]:
    """`stoic agent` on a free port while the block runs; gives its URL."""
    command, pipe = [STOIC, "agent", "--release", release, "--port", "0"], subprocess.PIPE
    with subprocess.Popen(command, cwd=project, env={**os.environ, **env}, stdout=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
