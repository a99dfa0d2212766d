"""pyarrow and neo4j without the optional packages that each would import if it could.

The first array that pyarrow makes imports pandas, to know whether what it was given is a pandas object: 0.3 s, 45 MB.
neo4j imports pandas, numpy and pyarrow to recognise their values as parameters: 0.4 s, 100 MB. None is ever given to
either here. `to_pandas` still works: it looks for pandas again.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


@cache
def arrow_alone() -> None:
    """To be called before the first array is made; later calls, or one where pandas is there already, do nothing."""
    import pyarrow as pa

    with _hidden("pandas"):
        pa.array([])


@cache
def neo4j_alone() -> None:
    """To be called before neo4j is imported for the first time."""
    with _hidden("pandas", "numpy", "pyarrow"):
        import neo4j  # noqa: F401


@contextmanager
def _hidden(*packages: str) -> Iterator[None]:
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
