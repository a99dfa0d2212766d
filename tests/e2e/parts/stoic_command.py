"""`stoic` as a program of its own, in a project of its own: what a user types, sees and finds afterwards."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

STOIC = str(Path(sys.executable).with_name("stoic"))
DEBRIS = ("Traceback", "Unclosed", "never awaited", "was destroyed", "Warning:", "Exception ignored")
"""What no user is ever shown unless they ask for it."""
TASKS = [
    {"task": "Ask what the capital of France is", "acceptanceCriteria": "It answers with Paris"},
    {"task": "Ask for a poem", "acceptanceCriteria": "It rhymes"},
]


@dataclass(frozen=True)
class Done:
    """A command that ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))

    @property
    def line(self) -> str:
        """The one line on stderr that says what is wrong."""
        lines = [line for line in self.err.splitlines() if line.startswith("stoic: ")]
        assert len(lines) == 1, self.err
        return lines[0]


@dataclass
class Stoic:
    """Runs commands in `project` with nothing in the environment but `env`."""

    project: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        """STOIC_HOME."""
        return Path(self.env["STOIC_HOME"])

    def __call__(self, *arguments: str | Path, code: int = 0, timeout: float = 200, **env: str) -> Done:
        """Runs to the end, which must be `code`, and looks for debris on stderr."""
        process = self.start(*arguments, **env)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise AssertionError(f"stoic {arguments} took over {timeout} s\n{out}\n{err}") from None
        return self.checked(Done(process.returncode, out, err), code, verbose="--verbose" in arguments)

    def checked(self, done: Done, code: int, verbose: bool = False) -> Done:
        """`done`, if it ended as it should."""
        assert done.code == code, f"exit code {done.code} instead of {code}\n{done.out}\n{done.err}"
        assert verbose or not any(word in done.err + done.out for word in DEBRIS), done.err
        return done

    def start(self, *arguments: str | Path, **env: str) -> "subprocess.Popen[str]":
        """Begins a command; the caller ends it."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
        environment = {**kept, **self.env, **env}
        return subprocess.Popen(
            [STOIC, *map(str, arguments)], cwd=self.project, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={name: value for name, value in environment.items() if value},
        )

    def job(self, name: str = "chat", **changes: Any) -> Path:
        """Writes a small job: one task, no facts, no assertions, unless `changes` says otherwise (None removes)."""
        job = {
            "target": {"user": "ada-{trial}", "chatbot": "my-agent"}, "aspirationalAverage": 3000, "maxTurns": 6,
            "greetings": ["Hello"],
            "tasks": TASKS[:1], **changes,
        }
        return self.write(f"eval_jobs/{name}.yml", {key: value for key, value in job.items() if value is not None})

    def write(self, path: str, content: Any) -> Path:
        """A file of the project; data becomes YAML."""
        file = self.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False))
        return file

    def sql(self, query: str, database: str = "stoic.duckdb") -> list[tuple[Any, ...]]:
        """Rows of the DuckDB file that people open."""
        import duckdb

        with duckdb.connect(str(self.home / "warehouse" / database), read_only=True) as connection:
            return connection.sql(query).fetchall()

    def everything_stored(self) -> dict[Path, str]:
        """All that stands under STOIC_HOME as text, by file; the rows of Parquet, SQLite and DuckDB unpacked too."""
        files = [path for path in self.home.rglob("*") if path.is_file()]
        return {path: path.read_bytes().decode("utf-8", "replace") + _unpacked(path) for path in files}


def graph_variables(line: str) -> dict[str, str]:
    """The settings by which both graphs of one embedded server are found, from the line of `stoic graph --json`."""
    told = json.loads(line)
    server = {"URI": told["uri"], "USERNAME": told["username"], "PASSWORD": told["password"]}
    return {
        f"{prefix}_{key}": value
        for prefix, database in (("NEO", "subject"), ("STOIC_GRAPH", "stoic"))
        for key, value in {**server, "DATABASE": told["databases"][database]}.items()
    }


def _unpacked(path: Path) -> str:
    import duckdb

    if path.suffix == ".parquet":
        return str(duckdb.read_parquet(str(path)).fetchall())
    if path.suffix == ".duckdb":
        with duckdb.connect(str(path), read_only=True) as database:
            return _rows(database)
    with path.open("rb") as file:
        is_sqlite = file.read(16) == b"SQLite format 3\0"
    if not is_sqlite:
        return ""
    with closing(sqlite3.connect(path)) as replies:
        return "\n".join(replies.iterdump())


def _rows(database: Any) -> str:
    tables = [name for (name,) in database.sql("SELECT table_name FROM duckdb_tables()").fetchall()]
    return str([database.table(name).fetchall() for name in tables])
