"""Nothing that users set or see by name is left undescribed."""

import json
import re
from collections.abc import Iterator
from typing import Any

from documents import DOCUMENTS, ROOT, rows, text_of
from pydantic import BaseModel

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.own_variables import OWN
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.jobs.job import job_json_schema
from stoic_assets.core.releases import Release
from stoic_assets.defs.assembly import ASSETS, build_definitions


def settings_keys(model: BaseModel, path: str = "") -> Iterator[tuple[str, Any]]:
    """The dotted keys of `stoic.yml` with their defaults; those that every endpoint has stand once, under `*`."""
    for name in type(model).model_fields:
        key, value = f"{path}{name}", getattr(model, name)
        if isinstance(value, BaseModel):
            yield from settings_keys(value, "limits.*." if path == "limits." else f"{key}.")
        else:
            yield key, value


def test_every_key_of_a_job_is_described() -> None:
    schema = job_json_schema()
    keys = {key for part in (schema, *schema["$defs"].values()) for key in part.get("properties", {})}
    assert set(rows(text_of("docs/jobs.md"))) - {"withheld", "supplied"} == keys


def test_every_setting_is_described_with_its_default() -> None:
    described = dict(re.findall(r"^\| `([a-z_.*]+)` \| ([^|]+) \|", section("stoic.yml"), re.MULTILINE))
    existing = dict(reversed([*settings_keys(Settings())]))  # of the endpoints the first counts
    assert described.keys() == existing.keys()
    for key, default in existing.items():
        if isinstance(default, bool):
            assert described[key] == f"`{json.dumps(default)}`", key
        elif isinstance(default, int | float):
            assert described[key].startswith(f"{default:g}"), key


def section(heading: str) -> str:
    """A second-level section of the document about configuration."""
    return text_of("docs/configuration.md").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_every_key_of_a_release_manifest_is_described() -> None:
    assert set(rows(section("Release manifests"))) == set(Release.known_keys())


def test_every_environment_variable_is_described() -> None:
    described = set(rows(section("Environment")))
    offered = set(re.findall(r"^#? ?([A-Z_]+)=", text_of(".env.example"), re.MULTILINE))
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "stoic_assets").rglob("*.py"))
    read = set(re.findall(r'"((?:STOIC|NEO|OPENAI|AGENT|BOOGIE|EVOLUTION)_[A-Z_]+)"', code)) - {"STOIC_GRAPH"}
    assert read <= described
    assert {name for name in described if name.startswith("STOIC_")} <= OWN
    assert described == offered


def test_every_asset_is_described() -> None:
    text = text_of("docs/dagster.md")
    names = {key.to_user_string() for asset in ASSETS for key in asset.keys}
    assert {name for name in names if f"`{name}`" not in text} == set()


def test_every_job_schedule_and_sensor_is_named(workplace: Workplace) -> None:
    text = "".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    found = build_definitions(workplace)
    names = {each.name for each in (*found.jobs, *found.schedules, *found.sensors)}
    assert {"night", "nightly", "night_watch"} <= names
    assert {name for name in names if f"`{name}`" not in text} == set()
