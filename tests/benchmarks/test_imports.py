"""Most benchmarks run only when somebody asks for figures: that what they import exists is seen here."""

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULES = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in (ROOT / "benchmarks").rglob("*.py")}


def test_what_benchmarks_import_exists() -> None:
    missing = []
    for name, path in MODULES.items():
        import_module(name)
        own = [each for each in ast.walk(ast.parse(path.read_text())) if isinstance(each, ast.ImportFrom)]
        names = [(each.module or "", alias.name) for each in own for alias in each.names]
        missing += [f"{name}: {alias} of {module}" for module, alias in names if not exists(module, alias)]
    assert missing == []


def exists(module: str, name: str) -> bool:
    """Whether a module has that name, or a module of that name."""
    return hasattr(import_module(module), name) or find_spec(f"{module}.{name}") is not None
