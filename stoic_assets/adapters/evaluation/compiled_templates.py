"""Compiled Jinja templates, kept as Python keeps compiled modules: compiling the report's takes 0.2 s."""

from contextlib import suppress
from functools import cache
from pathlib import Path

from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket


class CompiledTemplates(FileSystemBytecodeCache):
    """A file for each template in `folder`; where that cannot be written, nothing is kept.

    Jinja compares only the templates' text: a change in how they are compiled needs new file names.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder), "report.2.%s.jinja")

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps one compiled template."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


@cache
def compiled_templates() -> CompiledTemplates:
    """The templates of this installation, next to its compiled modules."""
    return CompiledTemplates(Path(__file__).parent / "__pycache__")
