"""Commands that documents show exist, and every command and option is described."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import typer
from documents import DOCUMENTS, FENCE, ROOT, rows, text_of

from stoic_assets.cli.command_line import command_line

INLINE = re.compile(r"`(stoic [\w-][^`]*)`")
"""A command within a sentence."""


def commands(group: Any = None, path: tuple[str, ...] = ("stoic",)) -> Iterator[tuple[str, Any]]:
    """Every command by its full name, as `stoic --help` and its sub-commands list them."""
    group = group or typer.main.get_command(command_line())
    for name, command in group.commands.items():
        inner = (*path, name)
        if hasattr(command, "commands"):
            yield from commands(command, inner)
        else:
            yield " ".join(inner), command


def options(command: Any) -> set[str]:
    return {option for parameter in command.params for option in parameter.opts if option.startswith("--")}


def shell_lines() -> Iterator[str]:
    """The lines of all shell blocks, without comments; a continued line is one."""
    for document in DOCUMENTS:
        for language, block in FENCE.findall(document.read_text(encoding="utf-8")):
            lines = block.replace("\\\n", " ").splitlines() if language == "sh" else []
            yield from (line.split("  #")[0].strip() for line in lines if line.strip())


def test_shown_commands_exist() -> None:
    known = dict(commands())
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    shown = [shlex.split(line.partition(">")[0]) for line in shell_lines()]
    assert len(shown) > 10
    for words in shown:
        if words[0] == "make":
            assert set(words[1:]) <= targets, words
        elif words[0] == "stoic":
            check_command(words, known)


def check_command(words: list[str], known: dict[str, Any]) -> None:
    """Whether words call a command that exists, and with its own options."""
    command = known.get(" ".join(words[:3])) or known.get(" ".join(words[:2]))
    assert command, words
    assert {word for word in words if word.startswith("--")} <= options(command), words


def test_commands_named_in_sentences_exist() -> None:
    known = dict(commands())
    groups = {name.rpartition(" ")[0] for name in known}
    of_the_program = {"--help", "--version", "COMMAND"}
    places = [*DOCUMENTS, *(ROOT / "stoic_assets").rglob("*.py")]
    texts = [FENCE.sub("", place.read_text(encoding="utf-8")) for place in places]
    named = [words for text in texts for line in INLINE.findall(text) if (words := line.split())]
    assert len(named) > 100
    for words in named:
        if words[1] not in of_the_program and " ".join(words) not in groups:
            check_command(words, known)


COMMAND = re.compile(r"^## (stoic [a-z ]+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
"""The name of a command in docs/commands.md, and what stands there of it."""


def test_every_command_and_option_is_described() -> None:
    described = {
        name: {row for row in rows(text) if row.startswith("--")}
        for name, text in COMMAND.findall(text_of("docs/commands.md"))
    }
    everywhere = {"--verbose"}
    assert {name: found | everywhere for name, found in described.items()} == {
        name: options(command) for name, command in commands()
    }


def test_the_help_calls_values_as_the_documents_do() -> None:
    known = dict(commands())
    for name, text in COMMAND.findall(text_of("docs/commands.md")):
        shown = dict(re.findall(r"^\| `(--[a-z-]+)` ?(\S*?) \|", text, re.MULTILINE))
        values = {parameter.opts[0]: parameter.metavar or "" for parameter in known[name].params}
        choices = {option for option, value in values.items() if "|" in value}  # which the text names
        assert {option: values[option] for option in shown.keys() - choices} == {
            option: value for option, value in shown.items() if option not in choices
        }, name
