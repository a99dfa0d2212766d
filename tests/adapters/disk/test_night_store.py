from pathlib import Path
from threading import Thread

import pytest

from stoic_assets.adapters.disk.file_locks import locked
from stoic_assets.adapters.disk.night_store import NightStore
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.nights.night_record import Alarm, HeldVersion, Round

NIGHT = "2026-11-21"


def test_what_is_recorded_adds_up(tmp_path: Path) -> None:
    nights = NightStore(tmp_path)

    def held(base: str, *versions: str) -> Round:
        evaluations = {each: HeldVersion(evaluation_id=each, base=base) for each in versions}
        return Round(run_id="r", held_at="2999-01-01", evaluations=evaluations)

    nights.record_round(NIGHT, "first", held("c@1", "a@1", "b@1"))
    for version in ("a@1", "b@1"):
        nights.record_alarm(NIGHT, alarm(version))
    nights.record_round(NIGHT, "first", held("c@2", "a@1"))
    [night] = nights.recent()[0]
    assert night.first is not None
    found = {version: each.base for version, each in night.first.evaluations.items()}
    assert found == {"a@1": "c@2", "b@1": "c@1"}, "what was held last counts"
    assert list(night.alarms) == ["a@1", "b@1"]


def alarm(version: str) -> Alarm:
    return Alarm(agent_version=version, base="a@0", measures=(), evaluation_ids=())


def test_a_night_that_another_process_writes_is_waited_for(tmp_path: Path) -> None:
    """Else what that process records in between would be lost."""
    nights = NightStore(tmp_path)
    second = Thread(target=nights.record_alarm, args=[NIGHT, alarm("a@1")])
    with locked(tmp_path / "nights" / "lock"):
        second.start()
        second.join(0.3)
        assert nights.read(NIGHT).alarms == {}
    second.join()
    assert list(nights.read(NIGHT).alarms) == ["a@1"]


def test_what_was_held_by_hand_is_in_no_night(tmp_path: Path) -> None:
    assert NightStore(tmp_path).held_with("by-hand", "a@1") is None


def test_what_was_told_of_a_version_goes_with_it(tmp_path: Path) -> None:
    nights = NightStore(tmp_path)
    evaluations = {each: HeldVersion(evaluation_id=f"of {each}", base="a@1") for each in ("a@1", "b@1")}
    faults = dict.fromkeys(evaluations, "did not answer")
    held = Round(run_id="r", held_at="2999-01-01", evaluations=evaluations, faults=faults)
    nights.record_round(NIGHT, "first", held)
    for version in ("a@1", "b@1"):
        nights.record_told(NIGHT, {f"of {version}": "r"})
        nights.record_alarm(NIGHT, alarm(version))
    assert nights.read(NIGHT).told == {"of a@1": "r", "of b@1": "r"}
    (damaged := tmp_path / "nights" / "2026-11-20.json").write_text("{")
    assert nights.forget("a@1") == [damaged], "which may still name it"
    night = nights.read(NIGHT)
    assert night.told == {"of b@1": "r"}
    assert night.first is not None
    assert [list(found) for found in (night.first.evaluations, night.first.faults, night.alarms)] == [["b@1"]] * 3
    assert night.base_of("of b@1") == "", "nobody can be compared with it"


def test_nights_come_in_the_order_in_which_they_were_held(tmp_path: Path) -> None:
    """A missed one may be held after later ones."""
    nights = NightStore(tmp_path)
    for night, day in (("2026-11-20", "03"), (NIGHT, "01"), ("2026-11-22", "02")):
        nights.record_round(night, "first", Round(run_id="r", held_at=f"2999-01-{day}"))
    nights.record_round(NIGHT, "again", Round(run_id="r", held_at="2999-01-04"))
    assert [each.night for each in nights.recent()[0]] == ["2026-11-22", "2026-11-20", NIGHT]
    assert [each.night for each in nights.held_before("2999-01-03")] == ["2026-11-22", NIGHT]


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
