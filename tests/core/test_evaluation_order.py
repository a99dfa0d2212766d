from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.evaluation_order import ready

VERSIONS = "abcdef"
BASES = st.fixed_dictionaries({version: st.sampled_from([None, *VERSIONS]) for version in VERSIONS})


def test_bases_go_first() -> None:
    bases = {"a": None, "b": "a", "c": "b", "d": "gone"}
    assert ready(["a", "b", "c", "d"], bases, set()) == ["a", "d"]
    assert ready(["b", "c"], bases, {"a"}) == []
    assert ready(["b", "c"], bases, set()) == ["b"]
    assert ready(["c"], bases, {"a"}) == ["c"]


def test_a_version_that_is_its_own_base_waits_for_nobody() -> None:
    assert ready(["a"], {"a": "a"}, {"a"}) == ["a"]


@given(BASES, st.lists(st.sampled_from(VERSIONS), unique=True))
def test_whatever_the_bases_every_version_gets_its_turn(bases: dict[str, str | None], wanted: list[str]) -> None:
    done: list[str] = []
    for _ in wanted:
        begun = ready([version for version in wanted if version not in done], bases, set())
        done += begun
        assert begun or len(done) == len(wanted)
    assert sorted(done) == sorted(wanted)
