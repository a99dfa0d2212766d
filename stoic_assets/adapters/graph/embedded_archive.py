"""The embedded server's classes in the form that the Java runtime loads fastest, made once for an installation.

Like Python's `.pyc` files, it is kept in the `__pycache__` of the server's package (45 MB); a user who cannot write
there goes without it, and the runtime ignores an archive that does not fit. Measured: with it a start takes half the
time, and 1.0 instead of 2.2 CPU seconds. The first server records the classes it used when it ends (2 s); from that a
process in the background makes the archive (2 s).
"""

import hashlib
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_CLAIM_SECONDS = 3600
"""How long a recording may take before another server makes one; the first may have been killed."""
_MAKE = '(nice -n 19 "$@" && sync "$0.new" && mv "$0.new" "$0"; rm -f "$0.new" "$0.conf") >/dev/null 2>&1 </dev/null &'


class ClassArchive:
    """The archive for servers that `java` starts: the runtime of a `package`, its options and its class path."""

    def __init__(self, package: Path, java: Sequence[str]) -> None:
        fit = f"{java} {(package / 'jars').stat().st_mtime_ns}"
        self.java = java
        self._file = package / "__pycache__" / f"server-{hashlib.sha256(fit.encode()).hexdigest()[:12]}.aot"
        self._recording = self._file.with_suffix(".aot.conf")

    def options(self) -> list[str]:
        """The options to start a server with: to use the archive or to record for it, one server at a time."""
        if self._file.exists():
            return [f"-XX:AOTCache={self._file}"]
        return ["-XX:AOTMode=record", f"-XX:AOTConfiguration={self._recording}"] if self._claim() else []

    def is_being_recorded(self) -> bool:
        """Whether some server records, or a finished recording has not been used yet."""
        return self._recording.exists()

    def make(self) -> None:
        """Starts making the archive in the background, if a server that has ended left a recording."""
        with suppress(FileNotFoundError):
            if self._recording.stat().st_size:
                wanted = [f"-XX:AOTConfiguration={self._recording}", f"-XX:AOTCache={self._file}.new"]
                shell = ["/bin/sh", "-c", _MAKE, str(self._file), *self.java, "-XX:AOTMode=create", *wanted]
                subprocess.run(shell, cwd=self._file.parent, check=True, start_new_session=True)

    def _claim(self) -> bool:
        try:
            self._file.parent.mkdir(exist_ok=True)
            if self.is_being_recorded() and time.time() - self._recording.stat().st_mtime > _CLAIM_SECONDS:
                self._recording.unlink()
            self._recording.touch(exist_ok=False)
            for outdated in self._file.parent.glob("server-*.aot"):
                outdated.unlink()
        except OSError:  # another server was first, or nothing can be written there
            return False
        return True
