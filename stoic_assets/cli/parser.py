"""How a command reads its arguments, shows its help, refuses what it cannot read, and is interrupted."""

import re
from collections.abc import Callable, Mapping
from shutil import get_terminal_size
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from stoic_assets.adapters.disk.paths import undecoded
from stoic_assets.core.errors import StoicError, causes
from stoic_assets.core.releases import is_agent_version

MAY_BE_EMPTY = ("notes", "about", "api_key")
"""Options whose empty value means something. Elsewhere it comes from a variable that is not set, as in "$URL"."""

_OF_WORDS: Mapping[str, Callable[[str], bool]] = {
    "--agent-version": is_agent_version, "--file": lambda word: word.endswith((".yml", ".yaml")), "--job": bool,
}  # fmt: skip
"""Which words an option may have been left out before, the most particular first."""

LEAST_WIDTH = 80
"""The columns from which on every help fits into typer's tables."""


class _PlainHelp:
    """Help in which `--json` takes no `<bool>`, and arguments look as in the documents: BASE CANDIDATE."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters of a command, including `--help`."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if isinstance(param, TyperArgument) or param.is_flag:
                param.display_type_rich = lambda ctx: None
        return params

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The text after the name of a command."""
        pieces: list[str] = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        return [re.sub("[{}]", "", piece) for piece in pieces]


class Command(_PlainHelp, TyperCommand):
    """A `stoic` command."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the help: in a narrow terminal as plain text, since typer's tables would cut names short there."""
        if get_terminal_size().columns < LEAST_WIDTH:
            self.rich_markup_mode = None
        super().format_help(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments of a command. What cannot be read or is left over is refused with advice."""
        ctx.allow_extra_args = True  # else the parser refuses them first
        given = list(args)
        written: dict[str, Any] = {}
        try:
            written, *_ = self.make_parser(ctx).parse_args(args=list(args))
            self._refuse_unusable(written, ctx)
            left = super().parse_args(ctx, args)
        except typer.BadParameter as refusal:
            if (option := refusal.param) is None or option.type_descriptor.annotation not in (int, float):
                raise
            ctx.fail(f"{option.opts[0]} {written[option.name]}: write {_number(option)}")
        except typer.TyperException as refusal:
            if getattr(refusal, "ctx", ctx) is None:  # the parser does not say whose option it refused
                refusal.ctx = ctx  # type: ignore[attr-defined]
            raise
        if left:
            self._refuse(left, given, ctx)
        return left

    def invoke(self, ctx: Any) -> Any:
        """Runs the command. Ctrl-C while it ends does not hide the error that says how to go on."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            for cause in causes(interrupt):
                if isinstance(cause, StoicError) and (cause.says_how_to_go_on or hasattr(cause, "__notes__")):
                    raise cause from None
            raise

    def _refuse_unusable(self, written: dict[str, Any], ctx: Any) -> None:
        """Refuses values that are empty, or no text: what is stored and sent is UTF-8."""
        for param in self.params:
            value = written.get(param.name)
            values = value if isinstance(value, list | tuple) else [value]
            name = param.metavar if isinstance(param, TyperArgument) else param.opts[0]
            if param.name not in MAY_BE_EMPTY and "" in values:
                ctx.fail(f"{name} is empty; give it a value{'' if param.required else ' or leave it out'}")
            for legible in filter(None, (undecoded(each) for each in values if isinstance(each, str))):
                advice = "set one with UTF-8 (LC_ALL=C.UTF-8), or change it"
                ctx.fail(f"{name} {legible} is no text in this locale; {advice}")

    def _refuse(self, left: list[str], given: list[str], ctx: Any) -> None:
        """Refuses arguments that are left over."""
        before = reversed(given[: given.index(left[0])])
        option = next((word.partition("=")[0] for word in before if word.startswith("-")), "")
        repeated = any(option in param.opts for param in self.params if param.multiple)
        how = f"; repeat {option} before each further one" if repeated else self._meant(left, given)
        ctx.fail(f"unexpected argument: {' '.join(left)}{how}")

    def _meant(self, left: list[str], given: list[str]) -> str:
        """Which option an argument may be meant for, in a command that takes none."""
        if len(left) > 1 or any(isinstance(param, TyperArgument) for param in self.params):
            return ""
        own = {name for param in self.params for name in param.opts}
        fitting = (name for name, fits in _OF_WORDS.items() if name in own - {*given} and fits(left[0]))
        meant = next(fitting, None)
        return f"; did you mean {meant} {left[0]}?" if meant else ""


def _number(option: Any) -> str:
    """The numbers that an option takes."""
    kind = "a whole number" if option.type_descriptor.annotation is int else "a number"
    if option.max is not None:
        return f"{kind} from {option.min} to {option.max}"
    return kind if option.min is None else f"{kind} of at least {option.min}"


class Group(_PlainHelp, TyperGroup):
    """A command with sub-commands."""
