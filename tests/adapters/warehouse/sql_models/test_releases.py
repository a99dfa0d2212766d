"""The order of releases that the views go by, held against that of their manifests."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from stoic_assets.adapters.warehouse.duckdb_engine import fetch, open_engine
from stoic_assets.adapters.warehouse.sql_project import SqlProject
from stoic_assets.core.releases import Release, in_order

MODELS = SqlProject()
DAY = datetime(2026, 11, 1, tzinfo=UTC)
MADE = """create temp table made as select
    unnest(?::text[]) as agent_version, unnest(?::timestamptz[]) as released_at, unnest(?::text[][]) as parents,
    'e1' as evaluation_id, 'marcus' as agent, now() as evaluated_at, now() as started_at, 'finished' as status,
    false as offline, true as conclusive, 'wisdom' as virtue, 0.5::double as score, 1 as jobs,
    ['sage'] as judge_models, ['sage'] as judges, ['talk.withheld'] as suite"""


def placed(releases: list[Release]) -> list[str]:
    """The versions as `virtue_trends` orders them."""
    rows = [(each.agent_version, each.released_at, list(each.parent_versions)) for each in releases]
    with open_engine() as engine:
        engine.execute(MADE, list(zip(*rows, strict=True)))
        for table in MODELS.inputs("virtue_trends"):
            engine.execute(f"create temp view {table} as from made")
        rows = fetch(engine, f"select agent_version, place from ({MODELS.sql['virtue_trends']}) order by place")
    assert [row["place"] for row in rows] == list(range(1, len(releases) + 1))
    return [row["agent_version"] for row in rows]


@st.composite
def families(draw: st.DrawFn, most_parents: int, *, acyclic: bool = True, unique: bool = False) -> list[Release]:
    """Versions of one agent, each with parents among those of higher numbers, or among all."""
    found = []
    for version, day in enumerate(draw(st.lists(st.integers(0, 9), min_size=1, max_size=8, unique=unique))):
        possible = st.sampled_from([each for each in range(version + 1 if acyclic else 0, 9) if each != version])
        parents = draw(st.lists(possible, unique=True, max_size=most_parents))
        released = (DAY + timedelta(days=day)).isoformat()
        head = {"agent": "marcus", "version": str(version), "releasedAt": released}
        found.append(Release.model_validate(head | {"parents": list(map(str, parents))}))
    return found


@settings(max_examples=40, deadline=None)
@given(families(1, unique=True))
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
