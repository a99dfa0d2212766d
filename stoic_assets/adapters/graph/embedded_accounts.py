"""The two accounts of the embedded graph server: `root`, and `observer`, which may only read the subject graph.

A rolled-back transaction of ArcadeDB keeps schema changes and `CALL {…} IN TRANSACTIONS`, and READ mode is not
enforced, so only the rights of an account keep an assertion from writing.
"""

import base64
import hashlib
import json
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter

from stoic_assets.adapters.disk.files import read_stored, write_whole

ROOT, OBSERVER = "root", "observer"
SUBJECT, STOIC = "subject", "stoic"

_ADVICE = "cannot be read or is damaged; remove it, and the embedded graph gets new passwords"
_ITERATIONS = 65536
_READ = ["readRecord"]
_WRITE = ["createRecord", "readRecord", "updateRecord", "deleteRecord"]
_ADMINISTER = ["updateSecurity", "updateSchema", "updateDatabaseSettings"]


@dataclass(frozen=True)
class Passwords:
    """One password for each account, made once and kept as long as the data folder, with the hashes for the server."""

    root: str
    observer: str
    root_hash: str
    observer_hash: str


def prepare_accounts(folder: Path) -> Passwords:
    """Writes the server's account files into `folder`/config and returns the passwords that they accept.

    The server must not be running: it reads its accounts when it starts and writes them back. Raises
    `ConfigurationError` for a damaged file of passwords, `StorageError` where nothing can be written.
    """
    passwords = _kept_passwords(folder / "credentials.json")
    config = folder / "config"
    config.mkdir(mode=0o700, exist_ok=True)
    users = [
        _user(ROOT, passwords.root_hash, "*", "admin"),
        _user(OBSERVER, passwords.observer_hash, SUBJECT, OBSERVER),
    ]
    write_whole(config / "server-users.jsonl", "".join(json.dumps(user) + "\n" for user in users), mode=0o600)
    write_whole(config / "server-groups.json", json.dumps(_groups()), mode=0o600)
    return passwords


def _kept_passwords(file: Path) -> Passwords:
    if kept := read_stored(file, TypeAdapter(Passwords).validate_json, _ADVICE):
        return kept
    root, observer = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
    fresh = Passwords(root, observer, _hashed(root), _hashed(observer))
    write_whole(file, json.dumps(asdict(fresh)), mode=0o600)
    return fresh


def _user(name: str, password_hash: str, database: str, group: str) -> dict[str, object]:
    return {"name": name, "databases": {database: [group]}, "password": password_hash}


def _hashed(password: str) -> str:
    """The server's own form: PBKDF2 with the base64 text of the salt, not its bytes, as the salt."""
    salt = base64.b64encode(secrets.token_bytes(32))
    digest = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _ITERATIONS)
    return f"PBKDF2WithHmacSHA256${_ITERATIONS}${salt.decode()}${base64.b64encode(digest).decode()}"


def _groups() -> dict[str, object]:
    groups = {"admin": _group(_ADMINISTER, _WRITE), OBSERVER: _group([], _READ), "*": _group([], [])}
    return {"databases": {"*": {"groups": groups}}, "version": 2}


def _group(database_rights: list[str], record_rights: list[str]) -> dict[str, object]:
    types = {"*": {"access": record_rights}}
    return {"resultSetLimit": -1, "readTimeout": -1, "access": database_rights, "types": types}
