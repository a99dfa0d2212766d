"""The layers and house rules that `docs/architecture.md` describes, held by reading the source."""

import ast
import builtins
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from itertools import pairwise
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "stoic_assets"
MODULES = sorted(PACKAGE.rglob("*.py"))
PYPROJECT = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]
HEAVY = set(PYPROJECT["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-module-level-imports"])
OUTSIDE = {
    "dagster", "duckdb", "neo4j", "openai", "httpx2", "aiohttp", "pyarrow", "pandas", "arcadedb_embedded", "filelock",
    "typer", "rich", "starlette", "uvicorn", "dotenv", "sqlalchemy", "sqlite3", "socket", "subprocess", "requests",
    "urllib.request",
}
"""What `core` must know nothing of: services, drivers, the disk's locks, the terminal."""

Import = tuple[str, bool]
"""A module that is imported, and whether that happens when the importing module is loaded."""


def name_of(path: Path) -> str:
    """The path inside the package, as it is written in a message."""
    return path.relative_to(PACKAGE).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a module, which many tests read."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> tuple[Import, ...]:
    """The imports of a module; those for the type checker alone are none."""
    return tuple(_imports(tree_of(path), at_load=True))


def _imports(node: ast.AST, at_load: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, at_load) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield child.module or ".", at_load
        elif isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        else:
            is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(child, at_load and not is_function)


def within(module: str, packages: set[str]) -> bool:
    """Whether `module` is one of `packages` or inside one."""
    return any(module == package or module.startswith(f"{package}.") for package in packages)


BASIS = {"stoic_assets.core", *(f"stoic_assets.adapters.{package}" for package in ("disk", "http", "process"))}
"""What the adapters of one outside thing may know besides themselves: neither each other nor what combines them."""
LAYERS = {
    "core": {"stoic_assets.core"},
    "adapters/disk": {"stoic_assets.core", "stoic_assets.adapters.disk"},
    "adapters/http": {"stoic_assets.core", "stoic_assets.adapters.http"},
    "adapters/process": BASIS,
    "adapters/agents": BASIS | {"stoic_assets.adapters.agents"},
    "adapters/graph": BASIS | {"stoic_assets.adapters.graph"},
    "adapters/models": BASIS | {"stoic_assets.adapters.models"},
    "adapters/messages": BASIS | {"stoic_assets.adapters.messages"},
    "adapters/warehouse": BASIS | {"stoic_assets.adapters.warehouse"},
    "adapters": {"stoic_assets.core", "stoic_assets.adapters"},
    "demo": {"stoic_assets.core", "stoic_assets.adapters", "stoic_assets.demo"},
    "defs": {"stoic_assets.core", "stoic_assets.adapters", "stoic_assets.defs"},
}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_knows_only_those_below_it(layer: str) -> None:
    wrong = [
        f"{name_of(path)} imports {module}"
        for path in (PACKAGE / layer).rglob("*.py")
        for module, _ in imports(path)
        if within(module, {"stoic_assets"}) and not within(module, LAYERS[layer])
    ]
    assert wrong == []


CORE_IN_ORDER = (
    "text", "secrets", "presentation", "ratings", "configuration", "calls", "assertions", "jobs", "evaluation",
    "conversation", "judging", "scoring", "comparison", "evolution", "feedback", "calibration", "reports", "nights",
)
"""The packages of `core`: none knows a later one, not even through a module beside them."""


def part_of(module: str) -> str:
    """The package of a layer that a module is in, such as `core.judging`; the module itself, if it is in none."""
    return ".".join(module.split(".")[1:3])


def test_packages_know_only_earlier_ones() -> None:
    order = [f"core.{package}" for package in CORE_IN_ORDER]
    known = {later: {earlier} for earlier, later in pairwise(order)}
    for path in (path for layer in ("core", "adapters") for path in (PACKAGE / layer).rglob("*.py")):
        part = part_of(f"{PACKAGE.name}.{name_of(path).removesuffix('.py').replace('/', '.')}")
        ours = {part_of(module) for module, _ in imports(path) if within(module, {PACKAGE.name})}
        known.setdefault(part, set()).update(ours - {part})
    sorted_parts = TopologicalSorter(known).static_order()
    assert [part for part in sorted_parts if part in order] == order


def test_the_core_knows_no_service_no_disk_and_no_network() -> None:
    wrong = [
        f"{name_of(path)} imports {module}"
        for path in (PACKAGE / "core").rglob("*.py")
        for module, _ in imports(path)
        if within(module, OUTSIDE)
    ]
    assert wrong == []


RUN_DAGSTER = {f"cli/{name}.py" for name in ("dagster_instance", "partition_run", "run_faults", "run_records")}
"""The modules of commands that do so, each where it needs it."""


def test_only_definitions_know_dagster_and_its_processes_and_commands_that_run_it_when_they_do() -> None:
    wrong = [
        f"{name_of(path)} imports {module}"
        for path in MODULES
        for module, at_load in imports(path)
        if within(module, {"dagster", "stoic_assets.defs"})
        and not name_of(path).startswith("defs/")
        and name_of(path) not in {"definitions.py", "cli/code_server.py", "cli/daemon.py"}
        and (name_of(path) not in RUN_DAGSTER or at_load)
    ]
    assert wrong == []


def packages_in(requirements: list[str]) -> set[str]:
    """The names of packages without versions and extras, as a registry normalises them."""
    return {re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", each)[0]).lower() for each in requirements}


def test_what_is_imported_is_declared_and_nothing_else() -> None:
    declared = packages_in(PROJECT["dependencies"])
    optional = packages_in([each for extra in ("embedded", "deploy") for each in EXTRAS[extra]])
    names = {module.partition(".")[0] for path in MODULES for module, _ in imports(path)}
    owners = packages_distributions()
    used = {name: packages_in(owners[name]) for name in names - sys.stdlib_module_names - {PACKAGE.name}}
    assert [name for name, packages in used.items() if not packages & (declared | optional)] == []
    assert declared - set().union(*used.values()) == {"pytz"}, "DuckDB imports that one"


@pytest.mark.parametrize(
    ("file", "extras"),
    [("requirements.lock", ["embedded"]), ("deploy/requirements.lock", ["deploy", "kubernetes"])],
)
def test_a_lock_file_pins_what_is_declared(file: str, extras: list[str]) -> None:
    text = (PACKAGE.parent / file).read_text(encoding="utf-8")
    pins = re.findall(r"^([\w.-]+)==.*((?:\n +.*)*)", text, re.MULTILINE)
    wanted = packages_in([*PROJECT["dependencies"], *(each for extra in extras for each in EXTRAS[extra])])
    assert {name for name, wanted_by in pins if "stoic-eval (pyproject.toml)" in wanted_by} == wanted


def test_errors_form_one_tree() -> None:
    """A command tells its user of those in `StoicError`; any other is a fault of ours, to be reported."""
    wrong = [
        f"{name_of(path)}: {node.name}"
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ClassDef) and node.name != "StoicError"
        for base in node.bases
        if isinstance(found := getattr(builtins, ast.unparse(base), None), type) and issubclass(found, BaseException)
    ]
    assert wrong == []


def test_packages_are_marked_by_empty_files() -> None:
    folders = {path.parent for path in MODULES}
    assert [name_of(folder) for folder in folders if not (folder / "__init__.py").exists()] == []
    assert [name_of(path) for path in MODULES if path.name == "__init__.py" and path.read_bytes()] == []


VAGUE = {"utils", "helpers", "common", "misc", "base", "manager"}
"""Words in a file's name that say nothing of its subject."""


def faults_of(path: Path) -> Iterator[str]:
    """What is wrong with a module as a whole, or with the length of its functions."""
    tree, lines = tree_of(path), len(path.read_text(encoding="utf-8").splitlines())
    if not ast.get_docstring(tree):
        yield "has no docstring"
    if lines > 250:
        yield f"has {lines} lines"
    yield from (f"is called {word}" for word in VAGUE & set(path.stem.split("_")))
    for each in ast.walk(tree):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and (each.end_lineno or 0) - each.lineno >= 50:
            yield f"has a long function, {each.name}"


def test_a_module_says_what_belongs_there_and_stays_short() -> None:
    modules = [path for path in MODULES if path.name != "__init__.py"]
    assert [f"{name_of(path)} {fault}" for path in modules for fault in faults_of(path)] == []


LOADED = """
import json, sys, time
start = time.process_time()
import stoic_assets.definitions
print(json.dumps([time.process_time() - start, sorted(sys.modules)]))
"""


def test_definitions_load_without_the_heavy_packages_and_soon() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, timeout=100, check=True)
    seconds, modules = json.loads(done.stdout.splitlines()[-1])
    print(f"definitions loaded in {seconds:.2f} CPU seconds")  # noqa: T201 - worth seeing with -s
    assert sorted(HEAVY & set(modules)) == []
    assert seconds < 10, "CPU seconds: one on an idle machine, Dagster's own import included; more on a busy one"
