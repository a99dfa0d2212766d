from pathlib import Path

import pytest

from stoic_assets.adapters.disk.night_store import NightStore
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.night_record import Alarm, HeldVersion, Round

NIGHT = "2026-11-21"


def test_what_is_recorded_adds_up(tmp_path: Path) -> None:
    nights = NightStore(tmp_path)

    def held(*versions: str) -> Round:
        evaluations = {each: HeldVersion(evaluation_id=each) for each in versions}
        return Round(run_id="r", held_at="2999-01-01", evaluations=evaluations)

    nights.record_round(NIGHT, "first", held("a@1", "b@1"))
    nights.record_alarm(NIGHT, Alarm(agent_version="a@1", base="a@0", measures=(), evaluation_ids=()))
    nights.record_round(NIGHT, "first", held("a@1"))
    [night] = nights.recent()[0]
    assert night.first is not None
    assert list(night.first.evaluations) == ["a@1", "b@1"]
    assert list(night.alarms) == ["a@1"]


def test_what_was_told_of_a_version_goes_with_it(tmp_path: Path) -> None:
    nights = NightStore(tmp_path)
    evaluations = {each: HeldVersion(evaluation_id=f"of {each}") for each in ("a@1", "b@1")}
    nights.record_round(NIGHT, "first", Round(run_id="r", held_at="2999-01-01", evaluations=evaluations))
    nights.record_told(NIGHT, {"of a@1": "r"})
    nights.record_told(NIGHT, {"of b@1": "r"})
    nights.forget("a@1")
    assert nights.read(NIGHT).told == {"of b@1": "r"}


def test_a_night_knows_the_alarms_of_the_one_before(tmp_path: Path) -> None:
    nights = NightStore(tmp_path)
    assert nights.alarms_before(NIGHT) == {}
    for night, version in (("2026-11-13", "a@1"), ("2026-11-14", "b@1"), (NIGHT, "c@1")):
        path = nights.record_alarm(night, Alarm(agent_version=version, base="a@0", measures=(), evaluation_ids=()))
    assert list(nights.alarms_before(NIGHT)) == ["b@1"]
    path.write_text("{")
    assert nights.alarms_before("2026-11-22") == {}


def test_a_damaged_night_is_told_beside_the_others(tmp_path: Path) -> None:
    nights = NightStore(tmp_path)
    for night in (NIGHT, "2026-11-22"):
        path = nights.record_round(night, "first", Round(run_id="r", held_at="2999-01-01"))
    path.write_text("{")
    with pytest.raises(ConfigurationError, match="damaged"):
        nights.read("2026-11-22")
    found, [complaint] = nights.recent()
    assert [each.night for each in found] == [NIGHT]
    assert str(complaint).startswith(f"{path} is damaged or cannot be read; correct it, or remove it")
    assert "\n" not in str(complaint)
