"""The archive of the server's classes, with a stand-in for the Java runtime."""

import os
import time
from pathlib import Path

import pytest

from stoic_assets.adapters.graph import embedded_archive
from stoic_assets.adapters.graph.embedded_archive import ClassArchive

JAVA = """#!/bin/sh
for option; do
    case "$option" in
    -XX:AOTConfiguration=*) recording="${option#*=}" ;;
    -XX:AOTCache=*) archive="${option#*=}" ;;
    esac
done
cp "$recording" "$archive"
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "jars").mkdir()
    java = tmp_path / "java"
    java.write_text(JAVA)
    java.chmod(0o755)
    return tmp_path


def archive_of(package: Path, *options: str) -> ClassArchive:
    return ClassArchive(package, [str(package / "java"), *options])


def option(archive: ClassArchive, name: str) -> Path:
    [path] = [Path(each.partition("=")[2]) for each in archive.options() if each.startswith(f"-XX:{name}=")]
    return path


def made(archive: ClassArchive) -> Path:
    """The archive made of what a server recorded that was told to."""
    option(archive, "AOTConfiguration").write_text("classes")
    archive.make()
    deadline = time.monotonic() + 10
    while archive.is_being_recorded():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return option(archive, "AOTCache")


def test_one_server_records_and_those_after_it_start_from_what_was_made_of_it(package):
    archive = archive_of(package)
    assert not archive.is_being_recorded()
    file = made(archive)
    assert file.read_text() == "classes"
    assert list(file.parent.iterdir()) == [file]


def test_while_one_records_others_start_without(package):
    first, second = archive_of(package), archive_of(package)
    assert first.options()[0] == "-XX:AOTMode=record"
    assert second.options() == []
    assert second.is_being_recorded()


def test_nothing_is_made_of_a_recording_that_is_not_finished(package):
    archive = archive_of(package)
    archive.make()
    recording = option(archive, "AOTConfiguration")
    archive.make()
    assert list(recording.parent.iterdir()) == [recording]


def test_a_server_that_was_killed_while_it_recorded_is_given_up_in_time(package):
    archive = archive_of(package)
    recording, past = option(archive, "AOTConfiguration"), time.time() - embedded_archive._CLAIM_SECONDS - 1
    os.utime(recording, (past, past))
    assert option(archive, "AOTConfiguration") == recording


def test_another_version_or_other_options_have_an_archive_of_their_own_and_the_old_one_goes(package):
    old = made(archive_of(package))
    for other in (archive_of(package, "-Xmx1g"), archive_of(package)):
        new = made(other)
        assert new != old
        assert list(new.parent.iterdir()) == [new]
        old = new
        os.utime(package / "jars", (1, 1))


def test_where_nothing_can_be_written_servers_start_without(package):
    (package / "__pycache__").write_text("no folder")
    assert archive_of(package).options() == []
