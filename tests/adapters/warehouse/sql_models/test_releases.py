"""The order of releases that the views go by, held against that of their manifests."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st

from stoic_assets.adapters.warehouse.duckdb_engine import fetch, open_engine
from stoic_assets.adapters.warehouse.sql_project import SqlProject
from stoic_assets.core.order_of_releases import in_order
from stoic_assets.core.releases import Release

MODELS = SqlProject()
DAY = datetime(2026, 11, 1, tzinfo=UTC)
MANY = 10
"""Families in one query: a query takes a hundred times as long as drawing one."""
MADE = """create temp table made as select
    unnest(?::text[]) as agent, unnest(?::text[]) as agent_version, unnest(?::timestamptz[]) as released_at,
    unnest(?::text[][]) as parents,
    unnest(?::timestamptz[]) as started_at, 'e1' as evaluation_id, now() as evaluated_at,
    'finished' as status,
    false as offline, true as conclusive, 'wisdom' as virtue, 0.5::double as score, 1 as jobs,
    ['sage'] as judge_models, ['sage'] as judges, ['talk.withheld'] as suite"""


def placed(families: Sequence[list[Release]], started: Sequence[Sequence[datetime]] = ()) -> list[list[str]]:
    """The versions of each family as `virtue_trends` orders them; `started` is when each was evaluated: all at once."""
    moments = started or [[DAY] * len(family) for family in families]
    rows = [
        (each.agent, each.agent_version, each.released_at, list(each.parent_versions), moment)
        for family, its in zip(families, moments, strict=True) for each, moment in zip(family, its, strict=True)
    ]  # fmt: skip
    with open_engine() as engine:
        engine.execute(MADE, list(zip(*rows, strict=True)))
        for table in MODELS.inputs("virtue_trends"):
            engine.execute(f"create temp view {table} as from made")
        found = fetch(engine, f"select agent, agent_version, place from ({MODELS.sql['virtue_trends']}) order by place")
    places = [[row for row in found if row["agent"] == family[0].agent] for family in families]
    assert [[row["place"] for row in rows] for rows in places] == [list(range(1, len(each) + 1)) for each in families]
    return [[row["agent_version"] for row in rows] for rows in places]


def in_a_row(families: Sequence[list[Release]]) -> list[list[str]]:
    """The versions of each as the order of manifests has them."""
    return [[each.agent_version for each in in_order(family)] for family in families]


def apart(families: Sequence[list[Release]]) -> list[list[Release]]:
    """Each under the name of an agent of its own, so that one query orders them all."""
    return [
        [each.model_copy(update={"agent": f"agent{number}"}) for each in family]
        for number, family in enumerate(families)
    ]  # fmt: skip


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


def many(family: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(family, min_size=MANY, max_size=MANY)


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


@examples(1 / MANY)
@given(many(numbered()))
@example([(undated("1.9", "1.10", "2.0.0-rc.1", "2.0.0"), [DAY - timedelta(days=day) for day in range(4)])])
def test_numbers_count_as_they_do_among_manifests(drawn: list[tuple[list[Release], list[datetime]]]) -> None:
    families = apart([releases for releases, _ in drawn])
    assert placed(families, [started for _, started in drawn]) == in_a_row(families)


def test_hashes_stand_where_they_were_evaluated_first() -> None:
    releases = undated("9f3a2c1", "1234abc", "5e10000")
    started = [DAY + timedelta(days=day) for day in range(3)]
    assert placed([releases], [started]) == [[each.agent_version for each in releases]]


@examples(1 / MANY)
@given(many(families(1)))
def test_of_one_parent_each_the_order_is_that_of_the_manifests(drawn: list[list[Release]]) -> None:
    families = apart(drawn)
    assert placed(families) == in_a_row(families)


@examples(1 / MANY)
@given(many(families(3)))
def test_a_version_comes_after_all_that_it_came_from(drawn: list[list[Release]]) -> None:
    families = apart(drawn)
    for family, versions in zip(families, placed(families), strict=True):
        for each in family:
            for parent in set(each.parent_versions) & set(versions):
                assert versions.index(parent) < versions.index(each.agent_version)


@examples(1 / MANY)
@given(many(families(2, acyclic=False)))
def test_versions_that_name_each_other_as_parents_have_an_order(drawn: list[list[Release]]) -> None:
    families = apart(drawn)
    assert placed(families) == placed([family[::-1] for family in families])
