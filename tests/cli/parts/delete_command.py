"""`stoic delete` as a command, and the version that is deleted."""

import typer

from stoic_assets.cli.delete import delete

VERSION = "marcus@1.1.0"
DELETE = typer.Typer()
DELETE.command()(delete)
