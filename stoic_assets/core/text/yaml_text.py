"""YAML in the dialect of Stoic Eval's documents, with the line of every value. Schemas define what a value must be.

Plain scalars become null, booleans and numbers by the rules of YAML 1.1 (`yes`, `017` is 15, `1_000`). Dates, times and
sexagesimal numbers stay text, and so do all keys. Refused are duplicate keys, numbers that are not finite, tags without
a JSON equivalent, and aliases that contain themselves or multiply without limit.
"""

import math
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import yaml

from stoic_assets.core.errors import DocumentError

KeyPath = tuple[str | int, ...]
"""The keys and places that lead to a value of a document."""
MOST_VALUES = 100_000
"""Values of one document with its aliases expanded, and keys that it merges: nested aliases of aliases soon fill any
memory."""

TOO_MANY = f"it contains more than {MOST_VALUES} values"

_QUOTE = "; put a text that begins with * in quotes"
_SHOWN = 40
"""Characters of a wrong value in its error."""
_TAG = "tag:yaml.org,2002:"
_MERGE = f"{_TAG}merge"
_WHOLE = re.compile(r"[-+]?(?:0b[01][01_]*|0x[0-9a-fA-F][0-9a-fA-F_]*|0[0-7_]*|[1-9][0-9_]*)$")
_NUMBER = re.compile(
    r"(?:[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|[0-9][0-9_]*[eE][-+]?[0-9]+"
    r"|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN))$"
)


@dataclass
class YamlText:
    """A document: its data, the line (from 1) of every path in it, and its plain numbers and booleans as written."""

    data: Any = None
    lines: dict[KeyPath, int] = field(default_factory=dict)
    written: dict[KeyPath, str] = field(default_factory=dict)


@lru_cache(maxsize=4096)  # with fewer than a project has files, every pass over them reads each anew
def read_yaml(text: str, source: str) -> YamlText:
    """The only document of a text. Raises `DocumentError` for malformed YAML and for a second document.

    An evaluation reads every job several times, and PyYAML needs 20 ms for one: results are cached, some 8 bytes for
    each of the text, so callers must not change them.
    """
    try:
        loader = _Loader(text)
        try:
            return _read(loader)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        advice = _QUOTE if error.context == "while scanning an alias" else ""
        problem = f"not valid YAML: {error.problem}{advice}"
        raise DocumentError(source, mark.line + 1 if mark else None, "", problem) from None
    except yaml.reader.ReaderError as error:
        line, character = text.count("\n", 0, error.position) + 1, f"U+{error.character:04X}"
        raise DocumentError(source, line, "", f"not valid YAML: the character {character} is not allowed") from None
    except RecursionError:
        raise DocumentError(source, None, "", "not valid YAML: nested too deeply") from None
    except ValueError:  # Python reads at most 4,300 digits; those of values have their line
        raise DocumentError(source, None, "", "not valid YAML: the version in %YAML has too many digits") from None


def write_yaml(data: Any) -> str:
    """A document that is read back as `data`: JSON values; of their texts PyYAML changes those with U+0085."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True)


def _read(loader: "_Loader") -> YamlText:
    found = YamlText()
    node = _only_node(loader)
    if node is not None:
        found.data = loader.construct_document(node)  # before the lines: it writes merged keys (<<) into the nodes
        _note(node, (), (), found)
    return found


def _only_node(loader: "_Loader") -> yaml.Node | None:
    """The only document that is not empty; None where there is none. A second one would be ignored silently."""
    only = None
    while loader.check_node():
        node = loader.get_node()
        if node is None or (node.tag == f"{_TAG}null" and not node.value):
            continue
        if only is not None:
            raise _fault("a second document begins here; put it into a separate file", node)
        only = node
    return only


def _note(node: yaml.Node, path: KeyPath, above: tuple[yaml.Node, ...], found: YamlText) -> None:
    """Records the lines and texts of a node and of all below it, with aliases expanded."""
    if node in above:
        raise _fault("an alias contains itself", node)
    if len(found.lines) > MOST_VALUES:
        raise _fault(TOO_MANY, node)
    found.lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        # By name, since a key may override one that was merged in.
        for name, (key, value) in {key.value: (key, value) for key, value in node.value}.items():
            found.lines[*path, name] = key.start_mark.line + 1
            _note(value, (*path, name), (*above, node), found)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _note(value, (*path, index), (*above, node), found)
    elif node.tag.removeprefix(_TAG) in ("bool", "int", "float"):
        found.written[path] = node.value


def _fault(problem: str, node: yaml.Node) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, stricter."""

    _merged = 0
    """Keys that were merged so far."""

    def scan_to_next_token(self) -> None:
        """Passes over what separates tokens: within brackets tabs too, as in JSON, which PyYAML refuses everywhere."""
        super().scan_to_next_token()
        while self.peek() == "\t":
            if not self.flow_level:
                problem = "a tab stands here, where only spaces are allowed; replace it"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=self.get_mark())
            self.forward()
            super().scan_to_next_token()

    def scan_flow_scalar_non_spaces(self, double: bool, start_mark: Any) -> list[str]:
        """A piece of a quoted text; refuses escapes such as `\\UFFFFFFFF`."""
        try:
            return super().scan_flow_scalar_non_spaces(double, start_mark)
        except (ValueError, OverflowError):
            problem = f"the escape \\U{self.prefix(8)} names no character"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=self.get_mark()) from None

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """The value of a node; refuses one that an explicit tag does not fit, such as `!!bool 7`."""
        try:
            value = super().construct_object(node, deep)
            if isinstance(value, int):
                str(value)  # a hexadecimal one is read however long it is, and would fail where it is shown
            return value
        except (ValueError, LookupError):
            kind, written = node.tag.removeprefix(_TAG), str(node.value)
            shown = repr(written if len(written) <= _SHOWN else f"{written[:_SHOWN]}…")
            long = kind == "int" and _WHOLE.match(written)  # Python reads at most 4,300 digits
            why = "has too many digits" if long else f"is no value of the type {kind}"
            raise _fault(f"{shown} {why}", node) from None

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """Makes every key text, and refuses duplicates."""
        node = super().compose_mapping_node(anchor)
        names = set()
        for position, (key, value) in enumerate(node.value):
            if not isinstance(key, yaml.ScalarNode):
                raise _fault("a key must be text", key)
            if key.tag == _MERGE:
                continue
            if key.value in names:
                raise _fault(f"the key {key.value!r} occurs twice here", key)
            names.add(key.value)
            node.value[position] = (yaml.ScalarNode(f"{_TAG}str", key.value, key.start_mark, key.end_mark), value)
        return node

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Writes merged keys (`<<`) into a mapping as PyYAML does, but at most `MOST_VALUES` of them.

        PyYAML's own copies every key for every alias: ten aliases of ten aliases, in 470 bytes, took 14 s.
        """
        merging = [value for key, value in node.value if key.tag == _MERGE]
        node.value = own = [(key, value) for key, value in node.value if key.tag != _MERGE]
        merged: list[Any] = []
        for value in merging:  # of several mappings the first takes precedence, so it comes last
            for each in reversed(value.value) if isinstance(value, yaml.SequenceNode) else [value]:
                if not isinstance(each, yaml.MappingNode):
                    raise _fault("only mappings, and lists of them, can be merged (<<)", each)
                self.flatten_mapping(each)
                self._merged += len(each.value)
                if self._merged > MOST_VALUES:
                    raise _fault(TOO_MANY, node)
                merged += each.value
        node.value = [*merged, *own]

    def construct_finite(self, node: yaml.ScalarNode) -> float:
        """A number that can be compared and stored."""
        value = self.construct_yaml_float(node)
        if not math.isfinite(value):
            raise _fault(f"{node.value} is not a usable number; put it in quotes if it is text", node)
        return value

    def construct_text(self, node: yaml.ScalarNode) -> str:
        """Text, with an emoji that was escaped as in JSON (two halves of a surrogate pair) joined."""
        try:
            return self.construct_yaml_str(node).encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise _fault("a text contains half of an escaped character", node) from None


def _resolver(tag: str, pattern: Any) -> tuple[str, Any]:
    return tag, {f"{_TAG}int": _WHOLE, f"{_TAG}float": _NUMBER}.get(tag, pattern)


_KNOWN = {f"{_TAG}{kind}" for kind in ("null", "bool", "int", "float", "str", "seq", "map", "merge")}
_Loader.yaml_implicit_resolvers = {
    first: [_resolver(*each) for each in resolvers if each[0] in _KNOWN]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.yaml_constructors = {
    tag: make for tag, make in yaml.SafeLoader.yaml_constructors.items() if tag is None or tag in _KNOWN
} | {
    f"{_TAG}float": _Loader.construct_finite,
    f"{_TAG}str": _Loader.construct_text,
    f"{_TAG}merge": _Loader.construct_text,  # `<<` that is no key
}


class _Dumper(yaml.SafeDumper):
    """PyYAML's safe dumper, which also puts into quotes what only our reader takes for a number, as the text `5e92`."""


_Dumper.yaml_implicit_resolvers = {
    first: [*resolvers, *_Loader.yaml_implicit_resolvers[first]]
    for first, resolvers in yaml.SafeDumper.yaml_implicit_resolvers.items()
}
