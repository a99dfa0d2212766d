import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from stoic_assets.adapters.disk.home_format import FORMAT, note_format, refuse_newer_format
from stoic_assets.adapters.evaluation.judge_drift import Reference
from stoic_assets.adapters.messages import outbox_file
from stoic_assets.adapters.project import find_project, make_home
from stoic_assets.adapters.warehouse.table_schemas import COMMON, TABLES
from stoic_assets.core.conversation import journal
from stoic_assets.core.conversation.evidence import Observation, Turn
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.jobs.correction import Correction
from stoic_assets.core.nights.night_record import Night
from stoic_assets.core.ratings.blinding import Key

FORMS = Path(__file__).with_name("stored_forms.json")
STORED: tuple[type[BaseModel], ...] = (Manifest, Correction, Night, Key, Reference)


def stored_forms() -> dict[str, Any]:
    """Everything whose form in a home matters to another release: documents, journal, tables, databases."""
    observed = Observation("a", "expression", "true", {}, True, None)
    entries = (
        journal.began("t"), journal.prepares(), journal.session("s"), journal.said(Turn(1, "agent", "Hello"), 1, "500"),
        journal.ended("t", "signed_off", None, 0, [observed]),
    )  # fmt: skip
    return {
        "format": FORMAT,
        "documents": {name: fields for each in STORED for name, fields in documents(each)},
        "journal": {entry["kind"]: names(entry) for entry in entries},
        "tables": {"all": COMMON, **TABLES},
        "outbox": [" ".join(statement.split()) for statement in outbox_file.TABLES],
    }


def documents(model: type[BaseModel]) -> Iterator[tuple[str, dict[str, str]]]:
    """A model and those within it: for each field its kind, and its default if it has one."""
    schema = model.model_json_schema(by_alias=True)
    for name, each in {model.__name__: schema, **schema.get("$defs", {})}.items():
        yield name, {field: described(kind) for field, kind in each.get("properties", {}).items()}


def described(schema: Any) -> str:
    """The kind of a value, such as `array of Job` or `string|null = null`."""
    kinds = [described(each) for each in schema.get("anyOf", schema.get("oneOf", ()))]
    kind = "|".join(kinds) or schema.get("$ref", schema.get("type", "any")).rpartition("/")[2]
    inside = schema.get("items") or schema.get("additionalProperties")
    of = f" of {described(inside)}" if isinstance(inside, dict) else ""
    among = f" {'/'.join(map(str, schema['enum']))}" if "enum" in schema else ""
    return kind + of + among + (f" = {json.dumps(schema['default'])}" if "default" in schema else "")


def names(value: Any) -> Any:
    """The names of fields, without their values."""
    if isinstance(value, dict):
        return {key: names(held) for key, held in value.items()}
    return [names(each) for each in value] if isinstance(value, list) else None


def test_what_is_stored_has_the_form_that_its_number_names() -> None:
    """A release that stores other fields, or means something else by them, has another number.

    If a release has written the recorded form: raise `FORMAT`, bring homes of the former one into the new form in
    `make_home`, and describe it in docs/upgrade.md. Then record the form: run this file with Python.
    """
    assert stored_forms() == json.loads(FORMS.read_text(encoding="utf-8"))


def test_a_home_says_its_format_and_is_refused_by_an_older_program(tmp_path: Path) -> None:
    project = find_project({}, tmp_path)
    make_home(project, to_read=True)
    project.home.mkdir()
    make_home(project, to_read=True)
    assert not (project.home / "format.json").exists(), "whoever only reads leaves everything as it is"
    make_home(project)
    written = json.loads((project.home / "format.json").read_text())
    assert written == {"format": FORMAT, "written_by": "0.1.0"}
    make_home(project)
    (project.home / "format.json").write_text(json.dumps({"format": FORMAT + 1, "written_by": "0.4.0", "more": 1}))
    for to_read in (False, True):
        with pytest.raises(ConfigurationError, match=rf"format {FORMAT + 1}, written by stoic-eval 0\.4\.0; this is "):
            make_home(project, to_read)
    (project.home / "format.json").write_text('{"format": ')
    with pytest.raises(ConfigurationError, match=r"format\.json is damaged or cannot be read; restore it from a back"):
        make_home(project)


def test_a_format_is_noted_once(tmp_path: Path) -> None:
    (tmp_path / "format.json").write_text(json.dumps({"format": 0, "written_by": "0.0.1"}))
    refuse_newer_format(tmp_path)
    note_format(tmp_path)
    assert json.loads((tmp_path / "format.json").read_text())["written_by"] == "0.0.1"


if __name__ == "__main__":
    FORMS.write_text(json.dumps(stored_forms(), indent=1, sort_keys=True) + "\n", encoding="utf-8")
