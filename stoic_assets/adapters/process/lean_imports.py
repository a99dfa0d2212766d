"""pyarrow, neo4j and openai without imports that are never needed here; imports without garbage collection.

The first array that pyarrow makes imports pandas, to check whether its input is a pandas object: 0.3 s, 45 MB.
neo4j imports pandas, numpy and pyarrow to recognise their values as parameters: 0.4 s, 100 MB. Neither ever gets such
values here. `to_pandas` still works: it looks for pandas again. openai imports the types of all that its servers offer:
0.25 s, 9 MB.
"""

import gc
import sys
import threading
from calendar import monthrange
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any


@cache
def import_lean_pyarrow() -> None:
    """Must be called before the first array is made; does nothing on later calls, or if pandas is already imported."""
    import pyarrow as pa

    with hidden("pandas"):
        pa.array([])


@cache
def import_lean_neo4j() -> None:
    """Must be called before neo4j is imported for the first time."""
    with hidden("pandas", "numpy", "pyarrow"):
        import neo4j.time
    neo4j.time._DAYS_IN_MONTH = _MonthLengths()  # replaces a table of 120,000 months, 14 MB


class _MonthLengths(dict[tuple[int, int], int]):
    def __missing__(self, year_and_month: tuple[int, int]) -> int:
        return monthrange(*year_and_month)[1]


@cache
def import_lean_openai() -> None:
    """Must be called before openai is imported for the first time; does nothing if it already is."""
    found = find_spec("openai")
    if "openai" in sys.modules or found is None or not found.origin:
        return
    types = Path(found.origin).parent / "types"
    _import_when_asked("openai.types", types)
    _import_when_asked("openai.types.responses", types / "responses")
    import openai  # noqa: F401


def _import_when_asked(name: str, folder: Path) -> None:
    """Runs a package only when one of its names is used; its modules can be imported one by one before that."""
    loader = SourceFileLoader(name, str(folder / "__init__.py"))
    spec = ModuleSpec(name, loader, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    package = module_from_spec(spec)

    def load(attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        del package.__getattr__
        loader.exec_module(package)
        return getattr(package, attribute)

    package.__getattr__ = load  # type: ignore[method-assign]
    sys.modules[name] = package
    parent, _, own = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], own, package)


@contextmanager
def uncollected() -> Iterator[None]:
    """For blocks that import or set up what stays in memory: collecting garbage then and later takes 0.2 of 1.8 s."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def hidden(*packages: str) -> Iterator[None]:
    """Makes some packages look uninstalled to imports in this thread that can do without them."""
    finder = _NotFound(packages, threading.get_ident())
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _NotFound:
    """An import finder that does not find some packages, in one thread."""

    def __init__(self, packages: tuple[str, ...], thread: int) -> None:
        self._packages, self._thread = packages, thread

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in self._packages and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(name)
