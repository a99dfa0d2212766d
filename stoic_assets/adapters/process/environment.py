"""The environment of this process, completed by a file: what the file gives is put there for connections, and known."""

import json
import os
from collections.abc import Iterable, Mapping
from threading import Lock

_OF_CONNECTIONS = ("SSL_CERT_FILE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")
"""Variables that OpenSSL and the standard library read from the environment of the process."""

_PUT = "_STOIC_OF_ENV_FILE"
"""A variable of our own, which processes inherit with the others: the values among them that a file gave, as JSON."""

_one_at_a_time = Lock()


def environment_with(of_file: Mapping[str, str]) -> dict[str, str]:
    """The environment with those values of a file that it lacks; connections use them, and no longer earlier ones."""
    with _one_at_a_time:
        put = _put()
        outer = {name: value for name, value in os.environ.items() if name != _PUT and put.get(name) != value}
        ours = {name: of_file[name] for name in _OF_CONNECTIONS if name in of_file and name not in outer}
        if ours != put:
            _replace(ours, put.keys() - ours.keys() - outer.keys())
    return dict(of_file) | outer


def _put() -> dict[str, str]:
    """What this process, or one that started it, put into the environment."""
    values: dict[str, str] = json.loads(os.environ.get(_PUT, "{}"))
    return values


def _replace(ours: Mapping[str, str], gone: Iterable[str]) -> None:
    for name in gone:
        os.environ.pop(name, None)
    os.environ.update({**ours, _PUT: json.dumps(ours)})
