"""The views that expressions see, made of what an agent sends and what a trial leaves."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.assertions.bindings import ROOTS, evaluation, object_context
from stoic_assets.core.errors import ExpressionFailure
from stoic_assets.core.secrets.redaction import BLANK


def resource_of(**raw: Any) -> dict[str, Any]:
    view = object_context({"context": "c", "resources": [{"id": "1", "name": "n", **raw}], "functions": []})
    resources = view["resources"]
    assert isinstance(resources, list)
    return dict(resources[0])


def evaluation_of(*messages: dict[str, Any]) -> dict[str, Any]:
    return evaluation(
        session_id="s", model="m", job={"name": "j"}, transcript=messages, failure_count=1, done=True
    )


def test_the_views_have_the_members_that_the_parser_knows() -> None:
    assert tuple(object_context({"context": "", "resources": [], "functions": []})) == tuple(ROOTS["objectContext"])
    assert tuple(evaluation_of()) == tuple(ROOTS["evaluation"])


def test_a_resource_gets_its_defaults() -> None:
    assert resource_of() == {
        "id": "1", "name": "n", "description": "n", "properties": {}, "labels": [], "aliases": [], "type": None,
    }


@pytest.mark.parametrize(
    ("properties", "labels", "expected"),
    [
        ({"type": "Reminder"}, ["DomainNode", "Thing"], "Reminder"),
        ({"type": None}, ["DomainNode", "Reminder", "Thing"], "Reminder"),
        ({}, ["Reminder", "DomainNode"], "Reminder"),
        ({}, ["DomainNode"], None),
    ],
)
def test_the_type_of_a_resource(properties: dict[str, Any], labels: list[str], expected: str | None) -> None:
    assert resource_of(properties=properties, labels=labels)["type"] == expected


def test_properties_are_members_where_the_name_is_free() -> None:
    resource = resource_of(properties={"due": "noon", "name": "other", "id": 2}, description=None, aliases=["a"])
    assert (resource["due"], resource["name"], resource["id"], resource["description"]) == ("noon", "n", "1", "n")
    assert resource["properties"]["name"] == "other"
    assert resource["aliases"] == ["a"]


def test_entities_are_the_resources_of_the_domain() -> None:
    resources = [{"id": "1", "name": "a", "labels": ["DomainNode"]}, {"id": "2", "name": "b", "labels": ["Document"]}]
    view = object_context({"context": "c", "resources": resources, "functions": [{"name": "f", "label": "F"}]})
    assert isinstance(view["entities"], list)
    assert [entity["name"] for entity in view["entities"]] == ["a"]
    assert view["functions"] == [{"name": "f", "label": "F", "view": None, "staticMethod": False}]


def test_function_calls_and_events_are_gathered_from_all_messages() -> None:
    call = {"request": {"function": {"name": "remind"}, "arguments": {"at": "noon"}, "context": ""}}
    view = evaluation_of(
        {"content": "Hi", "role": "user", "timeTakenMillis": 0},
        {"content": "Hello", "role": "assistant", "timeTakenMillis": 5, "events": [{"systemPrompt": "p"}, call]},
        {"content": "Done", "role": "assistant", "timeTakenMillis": 7, "events": [{"output": "ok"}]},
    )
    assert view["functionCalls"] == [{"function": "remind", "args": {"at": "noon"}}]
    assert [event["output"] for event in view["events"]] == [None, None, "ok"]
    assert view["events"][0] == {
        "systemPrompt": "p", "content": None, "summaryDirection": None, "request": None, "output": None,
    }
    assert [message["events"] for message in view["transcript"]] == [[], view["events"][:2], view["events"][2:]]
    assert (view["sessionId"], view["failureCount"], view["done"], view["job"]) == ("s", 1, True, {"name": "j"})


def test_secrets_that_the_agent_told_are_counted_where_they_are_blanked() -> None:
    told = f"your key is {BLANK}, the old one was {BLANK}"
    view = evaluation_of(
        {"content": f"my key is {BLANK}", "role": "user", "timeTakenMillis": 0},
        {"content": told, "role": "assistant", "timeTakenMillis": 5},
    )
    assert view["secretsTold"] == 2


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ({"resources": {}}, "`resources` as dict"),
        ({"resources": ["a"], "functions": []}, "no list of objects `resources`"),
        ({"resources": [{"id": "1"}], "functions": []}, "without `id` or `name`"),
        ({"resources": [{"id": "1", "name": "n", "properties": []}], "functions": []}, "`properties` as list"),
        ({"resources": [{"id": "1", "name": "n", "labels": "x"}], "functions": []}, "`labels` as str"),
    ],
)
def test_what_is_no_object_context_is_refused(raw: dict[str, Any], problem: str) -> None:
    with pytest.raises(ExpressionFailure, match=problem):
        object_context(raw)


def test_lists_that_the_agent_leaves_out_are_empty() -> None:
    assert object_context({"functions": None}) == {"context": "", "resources": [], "entities": [], "functions": []}


@pytest.mark.parametrize("request_", [{}, "GET /x", {"function": {}}, {"function": {"name": None}}])
def test_what_is_no_function_call_is_passed_over(request_: object) -> None:
    calls = [{"request": request_}, {"request": {"function": {"name": "f"}}}]
    view = evaluation_of({"content": "", "role": "assistant", "events": calls})
    assert view["functionCalls"] == [{"function": "f", "args": {}}]
    assert view["events"][0]["request"] == request_


KEYS = st.sampled_from(("context", "resources", "functions", "id", "name", "labels", "properties", "aliases", "type"))
WIRE = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=20,
)


@given(st.dictionaries(KEYS, WIRE))
def test_any_wire_object_gives_a_view_or_a_failure(raw: dict[str, Any]) -> None:
    with contextlib.suppress(ExpressionFailure):
        assert tuple(object_context(raw)) == tuple(ROOTS["objectContext"])
