"""Most benchmarks run only when somebody asks for figures: that what they import exists is seen here."""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in (ROOT / "benchmarks").rglob("*.py")]


@pytest.mark.parametrize("name", sorted(MODULES))
def test_what_a_benchmark_imports_exists(name: str) -> None:
    import_module(name)
