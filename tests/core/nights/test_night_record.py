"""The ids of a night's evaluations."""

import pytest

from stoic_assets.core.nights.night_record import (
    Night,
    Round,
    RoundName,
    night_evaluation_id,
    night_of,
    second_round_key,
)

BASE, CANDIDATE = "marcus@1.0.0", "marcus@1.1.0"


def test_ids_name_night_version_and_round() -> None:
    first, again = (night_evaluation_id("2026-11-22", CANDIDATE, name) for name in ("first", "again"))
    assert first.startswith("night-20261122-")
    assert len(first) == len("night-20261122-") + 8
    assert again == f"{first}-again"
    assert night_evaluation_id("2026-11-22", BASE, "first") != first


@pytest.mark.parametrize("name", ["first", "again"])
def test_an_id_tells_its_night(name: RoundName) -> None:
    assert night_of(night_evaluation_id("2026-11-22", CANDIDATE, name)) == "2026-11-22"


@pytest.mark.parametrize("other", ["release-20261122", "night-20261122", "night-20261122-../..", "night-2026-12345678"])
def test_another_id_is_no_nights(other: str) -> None:
    assert night_of(other) is None


def test_a_second_round_has_one_key_for_the_same_versions_and_materialisation() -> None:
    def night(run_id: str) -> Night:
        return Night(night="2026-11-22", first=Round(run_id=run_id, held_at="2026-11-22T02:10:00+00:00"))

    key = second_round_key(night("r1"), [BASE, CANDIDATE])
    assert key == second_round_key(night("r1"), [CANDIDATE, BASE])
    assert len({key, second_round_key(night("r2"), [BASE, CANDIDATE]), second_round_key(night("r1"), ["ada@1"])}) == 3
