"""An open project: its settings, environment and stores, opened together for all callers."""

import hashlib
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from filelock import AsyncReadWriteLock

from stoic_assets.adapters.disk.configuration_files import load_settings, read_env_file
from stoic_assets.adapters.disk.evidence_store import EvidenceStore
from stoic_assets.adapters.disk.file_locks import locked, locked_async
from stoic_assets.adapters.disk.json_lines import LinesLost
from stoic_assets.adapters.disk.night_store import NightStore
from stoic_assets.adapters.disk.paths import path_in
from stoic_assets.adapters.disk.release_files import load_releases, with_faulty
from stoic_assets.adapters.disk.sqlite_files import faults_named
from stoic_assets.adapters.graph.graphs import Graphs, GraphUse
from stoic_assets.adapters.messages.outbox import Outbox
from stoic_assets.adapters.models.connect import connect_model, uses_stand_in
from stoic_assets.adapters.models.judge_cache import CachedModel
from stoic_assets.adapters.models.ledger import Ledger
from stoic_assets.adapters.models.model_server import judge_server
from stoic_assets.adapters.process.configured_secrets import configured_redactor
from stoic_assets.adapters.process.environment import environment_with
from stoic_assets.adapters.project import Project, find_project, make_home, refuse_undecoded_paths
from stoic_assets.adapters.warehouse.sql_project import model_variables
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.core.calls.chat import ChatModel
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.progress import Progress
from stoic_assets.core.secrets.redaction import Redactor

_PATHS = ("STOIC_HOME", "STOIC_WAREHOUSE", "DAGSTER_HOME", "SSL_CERT_FILE")


@dataclass(frozen=True)
class Workplace:
    """Everything through which a project meets the outside. Making one is cheap; connections open when used."""

    project: Project
    settings: Settings
    env: Mapping[str, str]
    progress: Progress

    @cached_property
    def redactor(self) -> Redactor:
        """Blanks the patterns of `stoic.yml` and every configured key and password."""
        return configured_redactor(self.settings, self.env)

    @cached_property
    def evidence(self) -> EvidenceStore:
        """Manifests and journals."""
        return EvidenceStore(self.project.home, self.redactor)

    @cached_property
    def warehouse(self) -> Warehouse:
        """The Parquet facts."""
        return Warehouse(self.project.warehouse, model_variables(self.settings))

    @cached_property
    def outbox(self) -> Outbox:
        """Messages to evolution service and webhook."""
        return Outbox(self.project.home)

    @cached_property
    def nights(self) -> NightStore:
        """The records of nights."""
        return NightStore(self.project.home)

    @property
    def reports(self) -> Path:
        """The folder of reports."""
        return self.project.home / "reports"

    def report_file(self, agent_version: str, evaluation_id: str, ending: str = "html") -> Path:
        """The default path of a report of an evaluation."""
        return self.reports / agent_version / f"{evaluation_id}.{ending}"

    @asynccontextmanager
    async def graph_access(self, alone: bool) -> AsyncIterator[None]:
        """Access to the subject graph among other runs of this home: shared with them, or `alone`.

        Raises `StorageError` where its lock cannot be written.
        """
        file = self.project.home / "subject_graph.lock"
        async with AsyncExitStack() as held:
            with faults_named(file, " while no command runs"):
                lock = AsyncReadWriteLock(file, is_singleton=False)
                await held.enter_async_context(lock.write_lock() if alone else lock.read_lock())
            yield

    def in_turn(self, work: str, line: str) -> AbstractAsyncContextManager[None]:
        """Lets one process of this home at a time do some `work`; one that has to wait shows `line` in its progress."""
        return locked_async(self.project.home / "locks" / work, partial(self.progress.note, line))

    def blocking_in_turn(self, work: str, line: str) -> AbstractContextManager[None]:
        """As `in_turn`, for what is not asynchronous."""
        return locked(self.project.home / "locks" / work, on_wait=partial(self.progress.note, line))

    def has_evaluation(self, agent_version: str, evaluation_id: str) -> bool:
        """Whether a version has this evaluation: one may be in no table yet, another may have lost its manifest.

        Raises `ConfigurationError` for an invalid version or id.
        """
        stored = self.warehouse.has("evaluations", agent_version, evaluation_id)
        return stored or evaluation_id in self.evidence.evaluation_ids(agent_version)

    def unevaluated(self, agent_version: str, other: str | None = None) -> str:
        """As that of `evidence`; a version that has a manifest, though with a fault, was not mistyped."""
        released = agent_version in with_faulty(*load_releases(self.project.releases))
        return self.evidence.unevaluated(agent_version, other, released)

    def judge_cache(self, agent_version: str) -> Path:
        """The folder of cached judge replies of a version."""
        return self.project.home / "cache" / agent_version

    def graphs(self) -> AbstractContextManager[Graphs]:
        """Subject graph and stoic graph; starts the embedded server where none is configured."""
        return self.graph_use.open()

    @cached_property
    def graph_use(self) -> GraphUse:
        """How long an embedded server is kept."""
        return GraphUse(self.project.home, self.env)

    def model(self, manifest: Manifest, max_cost: float | None = None, fresh: bool = False) -> ChatModel:
        """The configured model, its judge replies cached, every call in the evaluation's ledger.

        Raises `LinesLost` if the journal has lost calls: their cost would be lost too, and a ceiling begin anew.
        """
        journal, ceiling = self.evidence.journal_file(manifest), self.settings.ceiling(max_cost)
        ledger = Ledger(self._provider, journal, self.settings.prices, ceiling, self.redactor)
        stored = self.warehouse.read_if_stored("llm_calls", *manifest.key, ["cached"])
        if (lost := len(stored) - ledger.known_calls) > 0:
            raise LinesLost(
                f"{journal} lacks {lost} of {len(stored)} calls that the evaluation made; restore the file from a "
                "backup, or begin another evaluation"
            )
        if uses_stand_in(self.env):  # the stand-in costs nothing, and its verdicts change with its code
            return ledger
        return self.cached(ledger, manifest.agent_version, fresh)

    def cached(self, ledger: Ledger, agent_version: str, fresh: bool = False) -> CachedModel:
        """The model behind `ledger`; what it says about a version is kept with the version's cached replies."""
        server = hashlib.sha256(self._judge_server.encode()).hexdigest()[:12]
        return CachedModel(ledger, self.judge_cache(agent_version) / server, self.settings.judging, fresh)

    @cached_property
    def _provider(self) -> ChatModel:
        """One for all stages, so that its limits apply to all and its connections live as long as their loop."""
        return connect_model(self.env, self.settings)

    def judge_identity(self, judges: Iterable[str]) -> str:
        """What distinguishes these judges from others of the same names: their server and their options, if any."""
        return self._judge_server + self.settings.judging.options_of(judges)

    @property
    def _judge_server(self) -> str:
        """The address of the judges' server, the same whether it ends with a slash or not; empty for OpenAI's."""
        return judge_server(self.env).url.rstrip("/")


def open_workplace(
    env: Mapping[str, str] | None = None, progress: Progress | None = None, start: Path | None = None,
    to_read: bool = False,
) -> Workplace:
    """The project around `start` (default: the current folder).

    Environment variables take precedence over the project's `.env`; where the environment is that of the process,
    connections use both. Raises `ConfigurationError` when `stoic.yml` or `.env` is wrong, a path is not Unicode, or
    `STOIC_HOME` cannot be written; with `to_read` it need not be writable.
    """
    of_file = _of_file(find_project({}, start).root)
    complete = environment_with(of_file) if env is None else of_file | dict(env)
    project = find_project(complete, start)
    refuse_undecoded_paths(project, complete)
    make_home(project, to_read)
    workplace = Workplace(project, load_settings(project.settings), complete, progress or Progress())
    workplace.progress.clean_by(workplace.redactor.data)
    return workplace


def _of_file(root: Path) -> dict[str, str]:
    """The values of the project's `.env`. Its paths are relative to the project, wherever in it a command runs."""
    values = read_env_file(root / ".env")
    paths = {name: str(root / path_in(name, values[name])) for name in _PATHS if name in values}
    return values | paths
