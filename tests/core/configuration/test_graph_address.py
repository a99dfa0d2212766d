import pytest

from stoic_assets.core.configuration.graph_address import (
    SCHEMES,
    GraphAddress,
    refuse_same_graph,
    refuse_setups,
    setups_allowed,
    stoic_address,
    subject_address,
)
from stoic_assets.core.errors import ConfigurationError


def test_no_uri_means_the_embedded_graph():
    assert subject_address({}) is None
    assert subject_address({"NEO_URI": " ", "NEO_PASSWORD": "secret"}) is None
    assert stoic_address({"NEO_URI": "bolt://localhost"}) is None


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_bolt_scheme_is_an_address(scheme):
    address = subject_address({"NEO_URI": f"{scheme}://graph.example:7688"})
    assert address == GraphAddress(f"{scheme}://graph.example:7688")
    assert (address.host, address.port) == ("graph.example", 7688)


def test_both_graphs_read_their_own_variables():
    env = {
        "NEO_URI": "bolt://one",
        "NEO_USERNAME": "ada",
        "NEO_PASSWORD": "a",
        "NEO_DATABASE": "agents",
        "STOIC_GRAPH_URI": "neo4j+s://two",
        "STOIC_GRAPH_USERNAME": "bob",
        "STOIC_GRAPH_PASSWORD": "b",
        "STOIC_GRAPH_DATABASE": "stoic",
    }
    assert subject_address(env) == GraphAddress("bolt://one", "ada", "a", "agents")
    assert stoic_address(env) == GraphAddress("neo4j+s://two", "bob", "b", "stoic")


def test_credentials_inside_the_uri_move_out_of_it():
    address = subject_address({"NEO_URI": "bolt://neo4j:p%40ss@localhost:7687"})
    assert address == GraphAddress("bolt://localhost:7687", "neo4j", "p@ss")


def test_variables_win_over_credentials_inside_the_uri():
    env = {"NEO_URI": "bolt://neo4j:old@localhost", "NEO_USERNAME": "ada", "NEO_PASSWORD": "new"}
    assert subject_address(env) == GraphAddress("bolt://localhost", "ada", "new")


def test_a_password_alone_belongs_to_the_usual_account():
    assert subject_address({"NEO_URI": "bolt://localhost", "NEO_PASSWORD": "p"}).username == "neo4j"


def test_the_password_is_not_shown():
    address = subject_address({"NEO_URI": "bolt://neo4j:tr0ub4dor@localhost", "NEO_DATABASE": "d"})
    assert "tr0ub4dor" not in repr(address)
    assert "localhost" in repr(address)


@pytest.mark.parametrize(
    ("uri", "complaint"),
    [
        ("http://localhost:7474", "must begin with one of bolt"),
        ("localhost:7687", "must begin with one of bolt"),
        ("bolt://", "names no host"),
        ("bolt://:7687", "names no host"),
        ("bolt://localhost:port", "no valid host and port"),
        ("bolt://localhost:70000", "no valid host and port"),
        ("bolt://[::1", "no valid host and port"),
        ("bolt://neo4j:tr0ub/4dor@localhost", "no valid host and port"),
        ("bolt://localhost:7687/agents", "NEO_DATABASE"),
        ("bolt://neo4j:12#tr0ub@localhost", "must end after host and port"),
        ("bolt://localhost?policy=x", "must end after host and port"),
    ],
)
def test_what_is_no_bolt_address_is_refused_in_one_line_without_the_password(uri, complaint):
    with pytest.raises(ConfigurationError, match=complaint) as refused:
        subject_address({"NEO_URI": uri})
    assert "NEO_URI" in str(refused.value)
    assert "tr0ub" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_routing_context_is_kept():
    assert subject_address({"NEO_URI": "neo4j://cluster?policy=eu"}).uri == "neo4j://cluster?policy=eu"


def graph(uri: str, database: str | None = None) -> GraphAddress:
    return GraphAddress(uri, database=database)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (graph("bolt://localhost"), graph("bolt://localhost:7687")),
        (graph("bolt://127.0.0.1"), graph("neo4j://LOCALHOST")),
        (graph("bolt://[::1]:7687"), graph("bolt+s://localhost.")),
        (graph("bolt://Graph.Example"), graph("bolt://graph.example", "Neo4j")),
        (graph("bolt://a", "x"), GraphAddress("bolt://a", "other account", "p", "X")),
        (graph("bolt://a", "x"), graph("bolt://a")),
    ],
)
def test_the_same_database_in_other_words_is_refused_unless_allowed(one, other):
    with pytest.raises(ConfigurationError, match="STOIC_GRAPH_SHARED=1"):
        refuse_same_graph(one, other, {})
    with pytest.raises(ConfigurationError):
        refuse_same_graph(other, one, {"STOIC_GRAPH_SHARED": "0"})
    assert refuse_same_graph(one, other, {"STOIC_GRAPH_SHARED": "1"}) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (None, None),
        (graph("bolt://localhost"), None),
        (None, graph("bolt://localhost")),
        (graph("bolt://localhost", "subject"), graph("bolt://localhost", "stoic")),
        (graph("bolt://localhost:7687"), graph("bolt://localhost:7688")),
        (graph("bolt://one"), graph("bolt://two")),
    ],
)
def test_two_databases_are_two_graphs(one, other):
    assert refuse_same_graph(one, other, {}) is None


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1.2.3", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"])
def test_setups_may_write_on_this_machine(host):
    assert setups_allowed(graph(f"bolt://{host}:7687"), {})


@pytest.mark.parametrize("host", ["graph.example", "10.0.0.1", "localhost.example", "[2001:db8::1]"])
def test_setups_elsewhere_need_the_host_to_be_named(host):
    address = graph(f"bolt://{host}:7687")
    assert not setups_allowed(address, {})
    assert not setups_allowed(address, {"STOIC_ALLOW_SETUPS": "1, example ,*"})
    assert setups_allowed(address, {"STOIC_ALLOW_SETUPS": f"other.example,{host.upper()}"})
    assert setups_allowed(address, {"STOIC_ALLOW_SETUPS": f" other.example  {host} "})
    with pytest.raises(ConfigurationError, match=f"STOIC_ALLOW_SETUPS={address.host}"):
        refuse_setups(address, {})
    assert refuse_setups(address, {"STOIC_ALLOW_SETUPS": host}) is None
