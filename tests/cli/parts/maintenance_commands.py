"""`stoic export`, `stoic delete` and `stoic schema` as commands, and the version that is deleted."""

import typer

from stoic_assets.cli.maintenance import delete, export, schema

VERSION = "marcus@1.1.0"
COMMANDS = typer.Typer()
for command in (delete, export, schema):
    COMMANDS.command()(command)
