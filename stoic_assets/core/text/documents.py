"""Strict YAML documents: each fault is reported with file, line and key, an unknown key with the nearest known one.

`yaml_text` turns text into data; the models define the keys.
"""

import difflib
import re
from collections.abc import Mapping
from functools import reduce
from operator import getitem
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails, PydanticCustomError

from stoic_assets.core.errors import DocumentError
from stoic_assets.core.text.yaml_text import KeyPath, YamlText, read_yaml

_PROBLEMS = {
    "missing": "is required",
    "string_type": "text is expected",
    "bool_type": "true or false is expected",
    "tuple_type": "a list is expected",
    "too_short": "at least one entry is expected",
    "list_type": "a list is expected",
    "dict_type": "a mapping is expected",
    "model_type": "a mapping is expected",
}
_OCTAL = re.compile(r"[-+]?0[0-7_]+")


class Document(BaseModel, frozen=True, extra="forbid"):
    """A part of a YAML document: frozen, no unknown keys."""

    @model_validator(mode="before")
    @classmethod
    def refuse_unknown_keys(cls, data: Any) -> Any:
        """Names the nearest known key, which pydantic's own check does not."""
        if isinstance(data, Mapping):
            known = cls.known_keys()
            for key in data:
                if key not in known:
                    raise misplaced(_unknown_key(str(key), known), str(key))
        return data

    @field_validator("*", mode="before")
    @classmethod
    def refuse_truth_as_number(cls, value: Any, info: ValidationInfo) -> Any:
        """`weight: yes` is a mistake; pydantic would read it as 1."""
        kind = cls.model_fields[info.field_name or ""].annotation
        for key, each in value.items() if isinstance(value, Mapping) else [(None, value)]:
            if isinstance(each, bool) and _holds_numbers(kind):
                raise misplaced("a number is expected", *([] if key is None else [str(key)]))
        return value

    @classmethod
    def known_keys(cls) -> dict[str, None]:
        """The keys as they are written in the document."""
        return {field.alias or name: None for name, field in cls.model_fields.items()}


class CamelDocument(Document, alias_generator=to_camel):
    """A document whose keys are written in camelCase, as in job files."""


def _holds_numbers(kind: Any) -> bool:
    """Whether it is a number, or an option or a mapping of only numbers: an assertion's `expected` may be true."""
    origin, inside = get_origin(kind), [each for each in get_args(kind) if each is not NoneType]
    if origin in (Annotated, dict):
        return _holds_numbers(inside[origin is dict])
    return kind in (int, float) or (origin in (Union, UnionType) and all(map(_holds_numbers, inside)))


def _unknown_key(key: str, known: Mapping[str, None]) -> str:
    """The error message about a key that does not exist."""
    folded = {name.lower().replace("_", ""): name for name in known}
    nearest = difflib.get_close_matches(key.lower().replace("_", ""), folded, n=1, cutoff=0.6)
    hint = f"did you mean {folded[nearest[0]]!r}?" if nearest else f"known keys: {', '.join(known)}"
    return f"unknown key; {hint}"


def misplaced(problem: str, *path: str | int) -> PydanticCustomError:
    """The error that the validator of a part raises for a fault deeper inside, at `path`."""
    return PydanticCustomError("misplaced", "{problem}", {"problem": problem, "path": path})


D = TypeVar("D", bound=Document)


def parse_document(text: str, model: type[D], source: str) -> D:
    """Reads one YAML document into `model`. Where text is expected, a plain number or boolean is taken as written.

    Raises `DocumentError` for the first fault, for a second document in the text, and for an octal number.
    """
    found = read_yaml(text, source)
    if found.data is None:
        raise DocumentError(source, 1, "", "the file is empty")
    if not isinstance(found.data, Mapping):
        raise DocumentError(source, 1, "", f"a mapping is expected, not {type(found.data).__name__}")
    document, meant = _validated(found, model, source)
    _refuse_octal(meant, found, source)
    return document


def _validated(found: YamlText, model: type[D], source: str) -> tuple[D, Any]:
    """The document, and the data that it was made of."""
    try:
        return model.model_validate(found.data), found.data
    except ValidationError as error:
        meant = _with_texts(found, error)
    try:
        return model.model_validate(meant), meant
    except ValidationError as error:
        raise _explain(error, found, source) from None


def _refuse_octal(data: Any, found: YamlText, source: str) -> None:
    """Raises `DocumentError` for a number such as 017, which YAML 1.1 reads as 15; nobody means that."""
    for path, written in found.written.items():
        if _OCTAL.fullmatch(written) and (value := reduce(getitem, path, data)) != written:
            advice = "leave the zero out, or put it in quotes if it is text"
            raise fault_at(path, found, source, f"{written} would be {value}, an octal number; {advice}")


def _with_texts(found: YamlText, error: ValidationError) -> Any:
    """The data with text for every number and boolean of which `error` says that it should be one."""
    data = found.data
    for fault in error.errors(include_url=False):
        path = _written_path(fault["loc"], data)
        if fault["type"] == "string_type" and path in found.written:
            data = _replaced(data, path, found.written[path])
    return data


def _replaced(data: Any, path: KeyPath, value: str) -> Any:
    """Data with another value at `path`; other places that share data with it by an alias are unchanged."""
    if not path:
        return value
    copy = data.copy()
    copy[path[0]] = _replaced(data[path[0]], path[1:], value)
    return copy


def _explain(error: ValidationError, found: YamlText, source: str) -> DocumentError:
    """Turns pydantic's first error into one line that says what to do."""
    first = first_fault(error)
    deeper = first["loc"][-1:] if first["type"] == "missing" else first.get("ctx", {}).get("path", ())
    return fault_at((*_written_path(first["loc"], found.data), *deeper), found, source, _problem_of(first))


def first_fault(error: ValidationError) -> ErrorDetails:
    """The first of pydantic's faults, without the address of its documentation."""
    return error.errors(include_url=False)[0]


def fault_at(path: KeyPath, found: YamlText, source: str, problem: str) -> DocumentError:
    """An error about the value at `path`; if it is missing, with the line of the part that should contain it."""
    known = path
    while known and known not in found.lines:
        known = known[:-1]
    return DocumentError(source, found.lines.get(known, 1), dotted(path), problem)


def _problem_of(fault: ErrorDetails) -> str:
    """What is wrong, without naming the place."""
    if fault["type"] != "missing" and fault["input"] is None:
        return "has no value; give it one, or leave the key out"
    if fault["loc"][-1:] == ("[key]",) and fault["type"] == "literal_error":
        return _unknown_key(str(fault["input"]), dict.fromkeys(re.findall(r"'([^']*)'", fault["ctx"]["expected"])))
    return _PROBLEMS.get(fault["type"]) or fault["msg"].removeprefix("Value error, ")


def _written_path(loc: tuple[str | int, ...], data: Any) -> KeyPath:
    """The part of pydantic's location that exists in the document (the tags of unions do not)."""
    path: list[str | int] = []
    for step in loc:
        in_list = isinstance(data, list) and isinstance(step, int) and step < len(data)
        if in_list or (isinstance(data, Mapping) and step in data):
            data = data[step]
            path.append(step)
    return tuple(path)


def dotted(path: KeyPath) -> str:
    """`("tasks", 0, "task")` as `tasks[0].task`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")
