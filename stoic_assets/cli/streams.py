"""The output streams of the process: what happens when nobody reads them, or when they cannot encode a letter."""

import codecs
import os
import sys
from collections.abc import Callable
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any

READ_NO_FURTHER = 141
"""The exit code of a program whose reader went away (128 + SIGPIPE): 1 would mean a failed gate."""
_PLAIN = {"−": "-", "–": "-", "—": "-", "…": "...", "±": "~", "×": "x"}
"""What stands for the letters of our own that not every output has; in columns of figures one letter for one."""


class _Results(FileIO):
    """Standard output. A reader that goes away, as `head` does, ends the program."""

    def write(self, written: Any, /) -> int:
        """Writes; raises `SystemExit` once nobody reads it. After any error everything else is discarded."""
        try:
            return super().write(written)
        except OSError as error:
            _discard(self)
            if isinstance(error, BrokenPipeError):
                raise SystemExit(READ_NO_FURTHER) from None
            raise


class _Progress(FileIO):
    """Standard error. What cannot be written there is lost: it must not decide about an evaluation."""

    def write(self, written: Any, /) -> int:
        """Writes, and never raises an error."""
        try:
            return super().write(written)
        except OSError:
            _discard(self)
            return super().write(written)


def _discard(file: FileIO) -> None:
    """Discards all output from now on, also what Python still buffers."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, file.fileno())
    os.close(nowhere)


def set_up_streams() -> None:
    """Gives the process these streams, except where one is closed, or belongs to another program."""
    codecs.register_error("plain", _in_plain_letters)
    if sys.stdout is sys.__stdout__:
        sys.stdout = _replaced(sys.stdout, _Results)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _replaced(sys.stderr, _Progress)


def _replaced(stream: Any, kind: Callable[..., FileIO]) -> Any:
    """The stream with the behaviour of `kind`."""
    if not isinstance(stream, TextIOWrapper):
        return stream
    file = kind(stream.fileno(), "w", closefd=False)
    return TextIOWrapper(
        BufferedWriter(file), stream.encoding, errors="plain", line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _in_plain_letters(error: UnicodeError) -> tuple[str, int]:
    """Handles an error of codecs: returns plain letters, and `?` for a letter that has no plain form."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(_PLAIN.get(letter, "?") for letter in letters), error.end
