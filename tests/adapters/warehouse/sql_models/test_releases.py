"""The order of releases that the views go by, held against that of their manifests."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import example, given, settings
from hypothesis import strategies as st

from stoic_assets.adapters.warehouse.duckdb_engine import fetch, open_engine
from stoic_assets.adapters.warehouse.sql_project import SqlProject
from stoic_assets.core.releases import Release, in_order

MODELS = SqlProject()
DAY = datetime(2026, 11, 1, tzinfo=UTC)
MADE = """create temp table made as select
    unnest(?::text[]) as agent_version, unnest(?::timestamptz[]) as released_at, unnest(?::text[][]) as parents,
    unnest(?::timestamptz[]) as started_at, 'e1' as evaluation_id, 'marcus' as agent, now() as evaluated_at,
    'finished' as status,
    false as offline, true as conclusive, 'wisdom' as virtue, 0.5::double as score, 1 as jobs,
    ['sage'] as judge_models, ['sage'] as judges, ['talk.withheld'] as suite"""


def placed(releases: list[Release], started: Sequence[datetime] = ()) -> list[str]:
    """The versions as `virtue_trends` orders them; `started` is when each was evaluated, by default all at once."""
    rows = [
        (each.agent_version, each.released_at, list(each.parent_versions), moment)
        for each, moment in zip(releases, started or [DAY] * len(releases), strict=True)
    ]
    with open_engine() as engine:
        engine.execute(MADE, list(zip(*rows, strict=True)))
        for table in MODELS.inputs("virtue_trends"):
            engine.execute(f"create temp view {table} as from made")
        rows = fetch(engine, f"select agent_version, place from ({MODELS.sql['virtue_trends']}) order by place")
    assert [row["place"] for row in rows] == list(range(1, len(releases) + 1))
    return [row["agent_version"] for row in rows]


def undated(*versions: str) -> list[Release]:
    return [Release(agent="marcus", version=version) for version in versions]


@st.composite
def families(draw: st.DrawFn, most_parents: int, *, acyclic: bool = True) -> list[Release]:
    """Versions of one agent, each with parents among those of higher numbers, or among all."""
    found = []
    for version, day in enumerate(draw(st.lists(st.integers(0, 9), min_size=1, max_size=8))):
        possible = st.sampled_from([each for each in range(version + 1 if acyclic else 0, 9) if each != version])
        parents = draw(st.lists(possible, unique=True, max_size=most_parents))
        released = (DAY + timedelta(days=day)).isoformat()
        head = {"agent": "marcus", "version": str(version), "releasedAt": released}
        found.append(Release.model_validate(head | {"parents": list(map(str, parents))}))
    return found


NUMBERS = st.from_regex(r"[0-9]{1,2}([.][0-9]{1,2}|-rc[.]?[0-9]|[+_b]|[.]){0,3}", fullmatch=True)
DAYS = st.sampled_from([DAY + timedelta(days=day) for day in range(3)])


@st.composite
def numbered(draw: st.DrawFn) -> tuple[list[Release], list[datetime]]:
    """Versions of any numbers, some without a date or of the same day, and when each was evaluated."""
    found: list[Release] = []
    for version in draw(st.lists(NUMBERS, min_size=2, max_size=8, unique=True)):
        parents = draw(st.lists(st.sampled_from(found), max_size=1)) if found else []
        date = draw(st.none() | DAYS)
        head = {"agent": "marcus7", "version": version, "releasedAt": date and date.isoformat()}
        found.append(Release.model_validate(head | {"parents": [each.version for each in parents]}))
    return found, draw(st.lists(DAYS, min_size=len(found), max_size=len(found)))


@settings(max_examples=40, deadline=None)
@given(numbered())
@example((undated("1.9", "1.10", "2.0.0-rc.1", "2.0.0"), [DAY - timedelta(days=day) for day in range(4)]))
def test_numbers_count_as_they_do_among_manifests(tried: tuple[list[Release], list[datetime]]) -> None:
    releases, started = tried
    assert placed(releases, started) == [each.agent_version for each in in_order(releases)]


def test_hashes_stand_where_they_were_evaluated_first() -> None:
    releases = undated("9f3a2c1", "1234abc", "5e10000")
    started = [DAY + timedelta(days=day) for day in range(3)]
    assert placed(releases, started) == [each.agent_version for each in releases]


@settings(max_examples=40, deadline=None)
@given(families(1))
def test_of_one_parent_each_the_order_is_that_of_the_manifests(releases: list[Release]) -> None:
    assert placed(releases) == [each.agent_version for each in in_order(releases)]


@settings(max_examples=40, deadline=None)
@given(families(3))
def test_a_version_comes_after_all_that_it_came_from(releases: list[Release]) -> None:
    versions = placed(releases)
    for each in releases:
        for parent in set(each.parent_versions) & set(versions):
            assert versions.index(parent) < versions.index(each.agent_version)


@settings(max_examples=20, deadline=None)
@given(families(2, acyclic=False))
def test_versions_that_name_each_other_as_parents_have_an_order(releases: list[Release]) -> None:
    assert placed(releases) == placed(releases[::-1])
