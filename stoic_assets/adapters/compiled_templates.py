"""Compiled Jinja templates, kept as Python keeps compiled modules: to compile the report's takes 0.2 s."""

from contextlib import suppress
from functools import cache
from pathlib import Path

from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket


class CompiledTemplates(FileSystemBytecodeCache):
    """A file for each template in `folder`; where that cannot be written, nothing is kept.

    Jinja compares them with the templates' text alone: whoever changes how they are compiled names the files anew.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder), "report.1.%s.jinja")

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps one template."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


@cache
def compiled_templates() -> CompiledTemplates:
    """Those of this installation, beside its compiled modules."""
    return CompiledTemplates(Path(__file__).parent / "__pycache__")
