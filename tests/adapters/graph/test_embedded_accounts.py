import json

import pytest

from stoic_assets.adapters.graph.embedded_accounts import prepare_accounts
from stoic_assets.core.errors import ConfigurationError


def test_passwords_are_made_once_and_differ(tmp_path):
    first = prepare_accounts(tmp_path)
    users = (tmp_path / "config" / "server-users.jsonl").read_text()
    assert prepare_accounts(tmp_path) == first
    assert (tmp_path / "config" / "server-users.jsonl").read_text() == users
    assert first.root != first.observer
    assert len(first.root) >= 32


@pytest.mark.parametrize("left", ["", '{"root": "abc"', '{"root": "abc"}', "\xff"])
def test_passwords_that_are_damaged_are_made_anew_once_their_file_is_removed(tmp_path, left):
    first = prepare_accounts(tmp_path)
    (tmp_path / "credentials.json").write_text(left, encoding="latin-1")
    with pytest.raises(ConfigurationError, match=r"credentials\.json cannot be read or is damaged; remove it, and the"):
        prepare_accounts(tmp_path)
    (tmp_path / "credentials.json").unlink()
    assert prepare_accounts(tmp_path) != first


def test_no_password_is_in_the_files_that_the_server_reads(tmp_path):
    passwords = prepare_accounts(tmp_path)
    for file in (tmp_path / "config").iterdir():
        assert file.stat().st_mode & 0o777 == 0o600
        assert passwords.root not in file.read_text()
        assert passwords.observer not in file.read_text()


def test_the_observer_may_read_one_database(tmp_path):
    prepare_accounts(tmp_path)
    users = [json.loads(line) for line in (tmp_path / "config" / "server-users.jsonl").read_text().splitlines()]
    assert {user["name"]: user["databases"] for user in users} == {
        "root": {"*": ["admin"]},
        "observer": {"subject": ["observer"]},
    }
    groups = json.loads((tmp_path / "config" / "server-groups.json").read_text())["databases"]["*"]["groups"]
    assert groups["observer"]["access"] == []
    assert groups["observer"]["types"] == {"*": {"access": ["readRecord"]}}
