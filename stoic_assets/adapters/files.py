"""Files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path

from stoic_assets.core.errors import StoicError


class StorageError(StoicError):
    """Something could not be stored (disk full, no permission); what was stored before is whole."""


def write_whole(path: Path, content: str | bytes, mode: int = 0o644) -> Path:
    """Writes beside `path` and renames over it. Raises `StorageError`; then `path` is as it was."""
    data = content.encode() if isinstance(content, str) else content
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        advice = "free space or choose another STOIC_HOME"
        raise StorageError(f"{path} cannot be written: {error.strerror}; {advice}") from None
    return path
