from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, Tag

from stoic_assets.core.errors import DocumentError
from stoic_assets.core.jobs.job_entries import by_key
from stoic_assets.core.text.documents import CamelDocument, Document, parse_document


class Apple(CamelDocument):
    sort: str
    ripe_days: int = 3


class Pear(CamelDocument):
    pear: str
    weight: float = 1.0
    expected: bool | int | str = 1
    sizes: dict[str, Annotated[float, Field(ge=0)]] | None = None


Fruit = Annotated[Annotated[Apple, Tag("`sort`")] | Annotated[Pear, Tag("`pear`")], by_key("sort", "pear")]


class Basket(CamelDocument):
    owner: str
    kind: Literal["wicker", "wire"] = "wicker"
    capacity: float | None = None
    fruits: tuple[Fruit, ...] = ()
    labels: dict[str, str] = Field(default_factory=dict)
    notes: dict[str, Any] | str | None = None
    tags: tuple[str, ...] = ()
    best: Apple = Apple(sort="Boskoop")


class Settings(Document):
    at_once: int = 1


def basket(text: str) -> Basket:
    return parse_document(text, Basket, "basket.yml")


def fault_of(text: str, model: type[Document] = Basket) -> str:
    with pytest.raises(DocumentError) as caught:
        parse_document(text, model, "basket.yml")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_text_is_taken_as_it_is_written() -> None:
    found = basket(
        "owner: 1.10\ntags: [yes, 017, 1_000, 2026-01-01, 12:30, plain, '5']\nlabels: {no: off, 1: 2.50}\nnotes: 1.0\n"
        "fruits:\n  - sort: 0x10\n  - pear: TRUE\n    weight: 2\n"
    )
    assert found.owner == "1.10"
    assert found.tags == ("yes", "017", "1_000", "2026-01-01", "12:30", "plain", "5")
    assert found.labels == {"no": "off", "1": "2.50"}
    assert found.notes == "1.0"
    assert found.fruits == (Apple(sort="0x10"), Pear(pear="TRUE", weight=2.0))


@pytest.mark.parametrize("number", ["017", "-07", "0_1", "00"])
def test_a_number_that_looks_decimal_and_would_be_octal_is_refused(number: str) -> None:
    fault = fault_of(f"owner: {number}\nnotes: {{n: {number}}}")
    assert fault.startswith(f"basket.yml:2: notes.n: {number} would be {int(number, 8)}, an octal number; leave")
    assert basket(f"owner: {number}\nnotes: {{n: '{number}', m: 0x10, k: 0, j: 00.5, i: 08}}").owner == number


def test_what_is_text_in_one_place_stays_a_number_in_another() -> None:
    found = basket("owner: &n 7\ncapacity: *n\nnotes: {n: *n}")
    assert (found.owner, found.capacity, found.notes) == ("7", 7.0, {"n": 7})


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "1: the file is empty"),
        ("# nothing\n", "1: the file is empty"),
        ("- a\n", "1: a mapping is expected, not list"),
        ("just text", "1: a mapping is expected, not str"),
        ("tags: []\n", "1: owner: is required"),
        ("owner: x\nbest: {}\n", "2: best.sort: is required"),
        ("owner: x\ntags: one\n", "2: tags: a list is expected"),
        ("owner: [x]\n", "1: owner: text is expected"),
        ("owner: x\ntags:\n  - a\n  - {b: c}\n", "4: tags[1]: text is expected"),
        ("owner: x\nlabels: text\n", "2: labels: a mapping is expected"),
        ("owner: x\nbest: text\n", "2: best: a mapping is expected"),
        ("owner: x\nbest: {sort: a, ripeDays: yes}\n", "2: best.ripeDays: a number is expected"),
        ("owner: x\ncapacity: on\n", "2: capacity: a number is expected"),
        (
            "owner: x\nfruits:\n  - pear: p\n    sizes:\n      height: 2\n      width: yes\n",
            "6: fruits[0].sizes.width: a number is expected",
        ),
        ("owner: x\nkind: Wire\n", "2: kind: Input should be 'wicker' or 'wire'"),
    ],
)
def test_every_fault_is_one_line_with_file_line_and_key(text: str, fault: str) -> None:
    assert fault_of(text) == f"basket.yml:{fault}"


@pytest.mark.parametrize(
    ("entry", "key", "hint"),
    [
        ("ower: x", "ower", "did you mean 'owner'?"),
        ("best: {sort: a, ripe_days: 3}", "best.ripe_days", "did you mean 'ripeDays'?"),
        ("fruits: [{sort: a, ripedays: 4}]", "fruits[0].ripedays", "did you mean 'ripeDays'?"),
        ("1: x", "1", "known keys: owner, kind, capacity, fruits, labels, notes, tags, best"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_one_or_all(entry: str, key: str, hint: str) -> None:
    assert fault_of(f"owner: x\n\n{entry}") == f"basket.yml:3: {key}: unknown key; {hint}"


@pytest.mark.parametrize("entry", ["ripeDays: 2", "", "unknown: 1", "sort: a, pear: b"])
def test_an_entry_without_the_one_key_that_tells_its_kind_is_offered_the_choice(entry: str) -> None:
    fault = fault_of(f"owner: x\nfruits:\n  - sort: a\n  - {{{entry}}}\n")
    assert fault == "basket.yml:4: fruits[1]: exactly one of the keys `sort` or `pear` is required"


@pytest.mark.parametrize(
    ("entry", "key"),
    [
        ("tags:", "tags"), ("kind: ~", "kind"), ("labels: null", "labels"), ("best:", "best"),
        ("labels: {a: }", "labels.a"),
        ("fruits: [{pear: a, expected: null}]", "fruits[0].expected"), ("fruits: [~]", "fruits[0]"),
    ],
)
def test_null_is_refused_where_a_value_is_needed(entry: str, key: str) -> None:
    advice = f"basket.yml:2: {key}: has no value; give it one, or leave the key out"
    assert fault_of(f"owner: x\n{entry}") == advice


def test_null_is_taken_where_a_value_may_be_missing() -> None:
    assert basket("owner: x\ncapacity: null\nnotes:\n") == Basket(owner="x")


def test_a_fault_in_a_kind_of_entry_is_not_mistaken_for_one_in_the_key_that_tells_the_kind() -> None:
    text = "owner: x\nfruits:\n  - pear: {weight: nested}\n    weight: heavy\n"
    assert fault_of(text).startswith("basket.yml:3: fruits[0].pear: text is expected")
    text = "owner: x\nfruits:\n  - pear: a\n    weight: heavy\n"
    assert fault_of(text).startswith("basket.yml:4: fruits[0].weight: Input should be a valid number")


def test_keys_in_snake_case_have_neighbours_too() -> None:
    assert fault_of("atOnce: 3", Settings) == "basket.yml:1: atOnce: unknown key; did you mean 'at_once'?"
    assert fault_of("at_onse: 3", Settings) == "basket.yml:1: at_onse: unknown key; did you mean 'at_once'?"


def test_a_quoted_number_is_taken_where_a_number_is_expected() -> None:
    assert basket("owner: x\ncapacity: '3.5'\n").capacity == 3.5


def test_a_document_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        basket("owner: x").owner = "y"  # type: ignore[misc]


def test_an_entry_with_its_key_is_compared_with_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def compared(*_: object, **__: object) -> list[str]:
        raise AssertionError("takes a sixth of the time of a job with 30 entries")

    monkeypatch.setattr("difflib.get_close_matches", compared)
    assert isinstance(basket("owner: a\nfruits: [{sort: Boskoop}]").fruits[0], Apple)
