"""Whom the processes of `stoic` speak to, noted inside each of them; what code outside of Python does is not seen."""

from pathlib import Path

HOOK = '''
import os, sys
note = os.open({file!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

def hook(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        if isinstance(address, tuple):
            os.write(note, ("%s:%s\\n" % address[:2]).encode())
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        os.write(note, ("%s:%s\\n" % (arguments[0], arguments[1] if len(arguments) > 1 else "")).encode())

sys.addaudithook(hook)
'''


class Connections:
    """The addresses, as `host:port`, to which processes with `env` in their environment connected or asked the way."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "connections"
        self._file.touch()
        (folder / "sitecustomize.py").write_text(HOOK.format(file=str(self._file)))
        self.env = {"PYTHONPATH": str(folder)}

    @property
    def addresses(self) -> set[str]:
        """All of them so far."""
        return set(self._file.read_text().splitlines())
