"""`cg explain`."""

from __future__ import annotations

from typing import Annotated

import typer

from cgcli.cli import options  # noqa: TC001 - Typer reads the annotations
from cgcli.cli.console import write_json, write_line
from cgcli.errors import UsageError


def command(
    gate: Annotated[
        str | None, typer.Argument(metavar="GATE", help="A gate's name, as G-APPEND or append.", show_default=False)
    ] = None,
    *,
    all_of: Annotated[bool, typer.Option("--all", help="Every gate: one line each, or whole with --json.")] = False,
    json: options.Json = False,
) -> None:
    """Explain a gate of `cg check`: what it checks, why, what fails, and what to do.

    Example: cg explain G-APPEND

    Example: cg explain --all
    """
    from cgcli.checks import registry  # noqa: PLC0415 - imported when the command runs
    from cgcli.report.explanation import document, lines, listed  # noqa: PLC0415

    if (gate is None) != all_of:
        raise UsageError("give one gate, or --all", hint="cg explain --all")
    rules = [one.rule for one in registry.GATES] if gate is None else [registry.gate(gate).rule]
    if json:
        write_json(document(rules))
        return
    for line in listed(rules) if all_of else lines(rules[0]):
        write_line(line)
