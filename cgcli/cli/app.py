"""The commands of `cg`; each one imports its work only when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from cgcli import __version__
from cgcli.cli import (
    check,
    compact,
    config,
    convert,
    diff_modes,
    expand,
    explain,
    filters,
    inspect,
    probe,
    replay,
    scrub,
    stash,
)

app = typer.Typer(
    name="cg",
    help=(
        "The flight simulator for context compaction of LLM agents.\n\n"
        "Reads saved requests, compacts them offline and reversibly, and says what that did. "
        "Nothing leaves the machine without --live."
    ),
    epilog="Docs: docs/ in the source, beginning with docs/tutorial.md.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - Typer's callback
    if wanted:
        typer.echo(f"cg {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[  # noqa: FBT002 - an option
        bool,
        typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    del version


app.command("compact")(compact.command)
app.command("expand")(expand.command)
app.command("inspect")(inspect.command)
app.command("convert")(convert.command)
app.command("diff-modes")(diff_modes.command)
app.command("probe")(probe.command)
app.command("replay")(replay.command)
app.command("check")(check.command)
app.command("explain")(explain.command)
app.command("scrub")(scrub.command)
app.add_typer(stash.app, name="stash")
app.add_typer(filters.app, name="filters")
app.add_typer(config.app, name="config")
