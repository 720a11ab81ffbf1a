"""What `cg --help` and every command's `--help` print, at a fixed width."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer.main
from typer.testing import CliRunner

from cgcli.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH = 80


def commands(command: object | None = None, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every command with its words after `cg`, the groups before what is in them."""
    here = typer.main.get_command(app) if command is None else command
    yield words, here
    for name, inner in getattr(here, "commands", {}).items():
        yield from commands(inner, (*words, name))


def options(command: object) -> frozenset[str]:
    """The options that a command takes."""
    params = getattr(command, "params", [])
    return frozenset(name for param in params for name in param.opts if name.startswith("-")) | {"-h", "--help"}


def help_pages() -> Iterator[tuple[str, str]]:
    """Each command as it is typed, and its help."""
    for words, _ in commands():
        done = CliRunner(env={"COLUMNS": str(WIDTH)}).invoke(app, [*words, "--help"], prog_name="cg")
        assert done.exit_code == 0, f"cg {' '.join(words)} --help: {done.output}"
        yield " ".join(("cg", *words)), done.output
