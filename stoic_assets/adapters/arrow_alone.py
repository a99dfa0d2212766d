"""pyarrow without pandas.

The first time that pyarrow makes an array it imports pandas, to know whether what it was given is a pandas object. That
takes 0.3 s and 45 MB, and no pandas object is ever given here. `to_pandas` still works: it looks for pandas again.
"""

import sys
from functools import cache


@cache
def arrow_alone() -> None:
    """To be called before the first array is made; later calls, or one where pandas is there already, do nothing."""
    import pyarrow as pa

    hidden = _NoPandas()
    sys.meta_path.insert(0, hidden)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(hidden)


class _NoPandas:
    """An import finder that does not find pandas."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)
