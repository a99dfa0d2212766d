"""What the rounds of a night record, whatever happens to `releases/` after the first one."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from stoic_assets.adapters.evaluation.beginning import Wanted
from stoic_assets.adapters.evaluation.conversations import HeldEvaluation
from stoic_assets.adapters.evaluation.nights import HeldNight, hold_night
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.evaluation.manifest import Manifest

NIGHT, BASE, CANDIDATE = "2026-11-21", "marcus@1.0.0", "marcus@1.1.0"
Hold = Callable[..., HeldNight]


@pytest.fixture
def hold(workplace: Workplace, monkeypatch: pytest.MonkeyPatch) -> Hold:
    """Holds a round of a night in which every version that is asked converses."""

    async def held(_: Workplace, wanted: Sequence[Wanted], __: str) -> dict[str, HeldEvaluation]:
        ids = [each.evaluation_id for each in wanted]
        return {each: HeldEvaluation(Manifest.model_construct(evaluation_id=each), 0, [], {}) for each in ids}

    monkeypatch.setattr("stoic_assets.adapters.evaluation.nights.hold_evaluations", held)
    workplace.project.releases.mkdir()
    release(workplace, "1.0.0")
    release(workplace, "1.1.0")
    return lambda name, *versions: asyncio.run(hold_night(workplace, NIGHT, name, "r", versions))


def release(workplace: Workplace, version: str, port: int = 0, **more: Any) -> None:
    keys = {"agent": "marcus", "version": version, "url": f"http://localhost:{port or f'8{version[2]}'}", **more}
    text = "".join(f"{key}: {value}\n" for key, value in keys.items())
    (workplace.project.releases / f"{version}.yml").write_text(text)


def test_a_second_round_has_the_bases_of_the_first_one(workplace: Workplace, hold: Hold) -> None:
    hold("first")
    release(workplace, "1.0.5", port=85)
    found = hold("again", BASE, CANDIDATE).record
    assert found.evaluations[CANDIDATE].base == BASE


@pytest.mark.parametrize("named", [(), (CANDIDATE,)])
def test_a_night_that_is_held_again_keeps_its_bases(workplace: Workplace, hold: Hold, named: tuple[str, ...]) -> None:
    """Else what regressed in its second round would not have regressed against the same base in both."""
    hold("first")
    release(workplace, "1.0.5", port=85)
    release(workplace, "1.2.0", port=82)
    found = hold("first", *named).record.evaluations
    assert found[CANDIDATE].base == BASE
    assert named or found["marcus@1.2.0"].base == CANDIDATE, "it is new in the night"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda workplace: release(workplace, "1.1.0", urk="no"), "left out: {}/1.1.0.yml:4: urk: unknown key"),
        (lambda workplace: release(workplace, "1.2.0", port=81), f"{CANDIDATE} has the address of a newer version; "),
        (lambda workplace: release(workplace, "1.1.0", url="ftp://x"), f"left out: {CANDIDATE}: {{}}/1.1.0.yml:3: url"),
        (
            lambda workplace: (workplace.project.releases / "1.1.0.yml").unlink(),
            "no manifest in releases/ names it any more; once it is live again, materialise ",
        ),
    ],
)
def test_a_version_that_drops_out_of_the_second_round_has_a_fault_there(
    workplace: Workplace, hold: Hold, change: Callable[[Workplace], Any], why: str
) -> None:
    hold("first")
    release(workplace, "0.9.0", urk="that is not its fault")
    change(workplace)
    found = hold("again", BASE, CANDIDATE)
    assert list(found.record.evaluations) == [BASE]
    [(version, fault)] = found.record.faults.items()
    assert version == CANDIDATE
    assert fault.startswith(f"it is not live; {why.format(workplace.project.releases)}")
    assert workplace.nights.read(NIGHT).again == found.record


def test_versions_that_are_named_for_a_first_round_and_are_not_live_are_left_out(
    workplace: Workplace, hold: Hold
) -> None:
    release(workplace, "1.2.0", port=81)
    found = hold("first", "marcus@8", BASE, CANDIDATE)
    assert (list(found.held), found.record.faults) == ([BASE], {})
    newer = f"left out: {CANDIDATE} has the address of a newer version"
    assert found.unread == ("left out: marcus@8 is not live", newer)
