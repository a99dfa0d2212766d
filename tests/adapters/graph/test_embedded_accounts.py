import json

from stoic_assets.adapters.graph.embedded_accounts import prepare_accounts


def test_passwords_are_made_once_and_differ(tmp_path):
    first = prepare_accounts(tmp_path)
    users = (tmp_path / "config" / "server-users.jsonl").read_text()
    assert prepare_accounts(tmp_path) == first
    assert (tmp_path / "config" / "server-users.jsonl").read_text() == users
    assert first.root != first.observer
    assert len(first.root) >= 32


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
