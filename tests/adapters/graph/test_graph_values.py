import json
import math
from datetime import datetime, timedelta, tzinfo

import pytest
from neo4j._codec.hydration import BrokenHydrationObject
from neo4j.time import DateTime
from neo4j.vector import Vector

from stoic_assets.adapters.graph.graph_values import encode
from stoic_assets.core.assertions.equality import equals


@pytest.mark.parametrize(
    ("cypher", "encoded"),
    [
        ("null", None),
        ("true", True),
        ("1", 1),
        ("-9223372036854775808", -(2**63)),
        ("1.0", 1.0),
        ("'größe'", "größe"),
        ("[1, [2.5, null], 'x']", [1, [2.5, None], "x"]),
        ("{a: {b: [true]}}", {"a": {"b": [True]}}),
        ("{`$type`: 'mine'}", {"$type": "map", "value": {"$type": "mine"}}),
        ("0.0 / 0.0", {"$type": "float", "value": "NaN"}),
        ("1.0 / 0.0", {"$type": "float", "value": "Infinity"}),
        ("-1.0 / 0.0", {"$type": "float", "value": "-Infinity"}),
        ("date('2026-11-22')", {"$type": "date", "value": "2026-11-22"}),
        ("time('10:00:00+01:00')", {"$type": "time", "value": "10:00:00+01:00"}),
        ("localtime('10:00:00.5')", {"$type": "localtime", "value": "10:00:00.5"}),
        ("datetime('2026-11-22T10:00:00Z')", {"$type": "datetime", "value": "2026-11-22T10:00:00Z"}),
        (
            "datetime('2026-11-22T10:00:00.123456789-03:30')",
            {"$type": "datetime", "value": "2026-11-22T10:00:00.123456789-03:30"},
        ),
        (
            "datetime('2026-07-01T10:00:00[Europe/Berlin]')",
            {"$type": "datetime", "value": "2026-07-01T10:00:00+02:00[Europe/Berlin]"},
        ),
        (
            "datetime('2040-07-01T10:00:00.000000001[America/New_York]')",
            {"$type": "datetime", "value": "2040-07-01T10:00:00.000000001-04:00[America/New_York]"},
        ),
        (
            "datetime('1890-07-01T10:00:00[Europe/Berlin]')",
            {"$type": "datetime", "value": "1890-07-01T10:00:00+00:53:28[Europe/Berlin]"},
        ),
        ("localdatetime('2026-11-22T10:00:00')", {"$type": "localdatetime", "value": "2026-11-22T10:00:00"}),
        ("duration('P1Y2M3DT4H5M6.5S')", {"$type": "duration", "value": "P1Y2M3DT4H5M6.5S"}),
        ("duration({seconds: -1})", {"$type": "duration", "value": "PT-1S"}),
        ("point({x: 1, y: 2.5})", {"$type": "point", "value": [1.0, 2.5], "srid": 7203}),
        (
            "point({longitude: 12.5, latitude: 55.7})",
            {"$type": "point", "value": [12.5, 55.7], "srid": 4326},
        ),
        ("[date('2026-11-22')]", [{"$type": "date", "value": "2026-11-22"}]),
    ],
)
def test_values_of_a_real_graph_become_json(subject, cypher, encoded):
    found = subject.rows(f"RETURN {cypher} AS value")[0]["value"]
    assert found == encoded
    assert type(found) is type(encoded)
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_stored_bytes_come_back_as_base64(subject):
    subject.setup("CREATE (:L {data: $data})", data=b"\x01\x02")
    assert subject.rows("MATCH (n:L) RETURN n.data AS value") == [{"value": {"$type": "bytes", "value": "AQI="}}]


def test_nodes_relationships_and_paths_become_typed_objects(subject):
    subject.setup(
        "CREATE (a:L:Zebra:Ant {name: 'a', on: date('2026-11-22')})-[:KNOWS {since: 2020}]->(b:L {name: 'b'})"
    )
    row = subject.rows("MATCH p = (a:L {name: 'a'})-[r:KNOWS]->(b:L) RETURN a, r, b, p")[0]
    assert row["a"] == {
        "$type": "node",
        "id": row["a"]["id"],
        "labels": sorted([subject.label, "Zebra", "Ant"]),
        "value": {"name": "a", "on": {"$type": "date", "value": "2026-11-22"}},
    }
    assert row["r"] == {
        "$type": "relationship",
        "id": row["r"]["id"],
        "type": "KNOWS",
        "start": row["a"]["id"],
        "end": row["b"]["id"],
        "value": {"since": 2020},
    }
    assert [part["$type"] for part in row["p"]["value"]] == ["node", "relationship", "node"]
    assert equals([{"name": "a", "on": "2026-11-22"}, {"since": 2020}, {"name": "b"}], row["p"])
    assert row["a"]["id"] != row["b"]["id"]
    json.dumps(row, allow_nan=False)


def test_a_relationship_names_its_ends_though_nothing_else_is_known_of_them(subject):
    subject.setup("CREATE (:L {n: 1})-[:KNOWS {w: 2}]->(:L)")
    [alone] = subject.rows("MATCH (:L {n: 1})-[r]->() RETURN r")
    [beside] = subject.rows("MATCH p = (a:L {n: 1})-[r]->(b) RETURN a, b, p")
    ends = beside["a"]["id"], beside["b"]["id"]
    assert (alone["r"]["start"], alone["r"]["end"]) == ends
    assert (beside["p"]["value"][1]["start"], beside["p"]["value"][1]["end"]) == ends


def test_a_path_against_the_direction_keeps_its_order(subject):
    subject.setup("CREATE (:L {n: 1})-[:NEXT]->(:L {n: 2})-[:NEXT]->(:L {n: 3})")
    path = subject.rows("MATCH p = (:L {n: 3})<-[:NEXT*2]-(:L {n: 1}) RETURN p")[0]["p"]
    assert equals([{"n": 3}, {}, {"n": 2}, {}, {"n": 1}], path)


def test_values_that_no_server_here_returns():
    assert encode(Vector([1, 2], "i8")) == {"$type": "vector", "value": [1, 2]}
    assert encode(bytearray(b"\x01\x02")) == {"$type": "bytes", "value": "AQI="}
    assert encode([math.nan]) == [{"$type": "float", "value": "NaN"}]
    unread = BrokenHydrationObject(ValueError("Ordinal out of range"), b"")
    assert encode([unread]) == [{"$type": "unsupported", "value": "Ordinal out of range"}]
    assert encode({1}) == {"$type": "unsupported", "value": "{1}"}


class Zone(tzinfo):
    """A zone as the driver has it, of which all that counts is its name and what it says of the instant."""

    def __init__(self, name: str, offset: timedelta) -> None:
        self.zone, self._offset = name, offset

    def utcoffset(self, when: datetime | None) -> timedelta:
        return self._offset


@pytest.mark.parametrize(
    ("name", "offset"),
    [
        ("America/Atlantis", timedelta()),
        ("America", timedelta()),
        ("America/New_York", timedelta(minutes=-4)),  # -04:56:02 on that day: the year 0, which Python does not have
    ],
)
def test_a_datetime_that_is_known_only_to_the_server_is_unsupported(name, offset):
    told = f"a datetime in zone {name} that cannot be read: return toString(…) of it"
    assert encode(DateTime(1, 1, 1, tzinfo=Zone(name, offset))) == {"$type": "unsupported", "value": told}
