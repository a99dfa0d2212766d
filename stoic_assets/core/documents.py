"""Strict YAML documents: every fault is reported with its file, line and key, and an unknown key with its nearest neighbour."""

import difflib
from collections.abc import Mapping
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from stoic_assets.core.errors import DocumentError


class Document(BaseModel):
    """A part of a YAML document: frozen, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True, validate_default=False)

    @model_validator(mode="before")
    @classmethod
    def refuse_unknown_keys(cls, data: Any) -> Any:
        """Names the nearest known key, which pydantic's own check does not."""
        if isinstance(data, Mapping):
            known = cls.known_keys()
            for key in data:
                if key not in known:
                    raise PydanticCustomError("unknown_key", "{problem}", {"key": str(key), "problem": unknown_key(str(key), known)})
        return data

    @classmethod
    def known_keys(cls) -> dict[str, None]:
        """The keys as they are written in the document."""
        return {field.alias or name: None for name, field in cls.model_fields.items()}


class CamelDocument(Document):
    """A document whose keys are written in camelCase, as the job files' are."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=False)


def unknown_key(key: str, known: Mapping[str, None]) -> str:
    """The complaint about a key that does not exist."""
    folded = {name.lower(): name for name in known}
    nearest = difflib.get_close_matches(key.lower().replace("_", ""), folded, n=1, cutoff=0.5)
    hint = f"did you mean {folded[nearest[0]]!r}?" if nearest else f"known keys: {', '.join(known)}"
    return f"unknown key; {hint}"


D = TypeVar("D", bound=Document)
Path = tuple[str | int, ...]


def parse_document(text: str, model: type[D], source: str) -> D:
    """Reads one YAML document into `model`.

    Raises `DocumentError` for the first fault. Only the first document of a stream is read.
    """
    data, lines = read_yaml(text, source)
    if data is None:
        raise DocumentError(source, 1, "", "the file is empty")
    if not isinstance(data, Mapping):
        raise DocumentError(source, 1, "", f"a mapping is expected, not {type(data).__name__}")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise explain(error, data, lines, source) from None


def explain(error: ValidationError, data: Any, lines: Mapping[Path, int], source: str) -> DocumentError:
    """Turns pydantic's first complaint into one line a person can act on."""
    first = error.errors(include_url=False)[0]
    path = written_path(first["loc"], data)
    if first["type"] == "unknown_key":
        path = (*path, first["ctx"]["key"])
    known = path
    while known and known not in lines:
        known = known[:-1]
    problem = "is required" if first["type"] == "missing" else first["msg"].removeprefix("Value error, ")
    if first["type"] == "missing":
        path = (*path, str(first["loc"][-1])) if (path and path[-1] != first["loc"][-1]) or not path else path
    return DocumentError(source, lines.get(known, 1), dotted(path), problem)


def written_path(loc: tuple[str | int, ...], data: Any) -> Path:
    """The part of pydantic's location that exists in the document (the tags of unions do not)."""
    path: list[str | int] = []
    for step in loc:
        if (isinstance(data, Mapping) and step in data) or (isinstance(data, list) and isinstance(step, int) and step < len(data)):
            data = data[step]  # type: ignore[index]
            path.append(step)
    return tuple(path)


def dotted(path: Path) -> str:
    """`("tasks", 0, "task")` as `tasks[0].task`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


class _Loader(yaml.SafeLoader):
    """YAML as the job files mean it: dates, times and sexagesimal numbers stay text."""


_DROPPED = {"tag:yaml.org,2002:timestamp"}
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _DROPPED]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_yaml(text: str, source: str) -> tuple[Any, dict[Path, int]]:
    """The data of the first document and the line (from 1) of every path in it.

    Raises `DocumentError` for malformed YAML and for duplicate keys.
    """
    loader = _Loader(text)
    try:
        node = loader.get_node() if loader.check_node() else None
        lines: dict[Path, int] = {}
        if node is None:
            return None, lines
        _record_lines(node, (), lines, source)
        return loader.construct_document(node), lines
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise DocumentError(source, mark.line + 1 if mark else None, "", f"not valid YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise DocumentError(source, None, "", f"not valid YAML: {error}") from None
    finally:
        loader.dispose()


def _record_lines(node: yaml.Node, path: Path, lines: dict[Path, int], source: str) -> None:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            step = (*path, key.value)
            if step in lines:
                raise DocumentError(source, key.start_mark.line + 1, dotted(step), "the key stands here twice")
            lines[step] = key.start_mark.line + 1
            _record_lines(value, step, lines, source)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _record_lines(value, (*path, index), lines, source)
