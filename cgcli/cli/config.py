"""`cg config`: the configuration that holds, and what one may say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cgcli.cli.choosing import choose
from cgcli.cli.console import safe, say, write_json, write_line
from cgcli.cli.options import Config, Json  # noqa: TC001 - Typer reads the annotations
from cgcli.cli.stashing import located

if TYPE_CHECKING:
    from cgcli.config import Settings
    from cgcli.stash.locate import Where

app = typer.Typer(
    name="config",
    help="The configuration: what holds and why, and what one may say.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command("show")
def show(
    *,
    config: Config = None,
    policy: Annotated[
        str | None,
        typer.Option("--policy", metavar="NAME", help="As `cg compact` takes it.", show_default=False),
    ] = None,
    pipeline: Annotated[
        str | None,
        typer.Option("--pipeline", metavar="A,B,C", help="As `cg compact` takes it.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print what `cg compact` would run with: every key and parameter, and where it comes from.

    Example: cg config show --policy house.toml
    """
    from cgcli.compaction.state import HeldRule  # noqa: PLC0415 - imported when the command runs
    from cgcli.config import load  # noqa: PLC0415
    from cgcli.report.configuration import Effective, document, lines  # noqa: PLC0415

    settings = load(config, cwd=Path.cwd())
    choice = choose(policy, pipeline, settings)
    where = located(None, settings.file)
    told = document(
        Effective(
            settings=settings,
            policy=choice.made(settings, {}),
            steps=choice.steps(settings),
            name=choice.name if choice.names is None else None,
            origin=choice.origin,
            held=settings.held or HeldRule.RESPECT.value,
            stash=_shown(where.path),
            stash_origin=_origin(where, settings),
        )
    )
    for warning in told["warnings"]:
        say(f"cg: {safe(warning)}")
    if as_json:
        write_json(told)
        return
    for line in lines(told):
        write_line(line)


@app.command("schema")
def schema() -> None:
    """Print the JSON schema of the configuration, with the parameters of every component.

    Example: cg config schema > cg.schema.json
    """
    from cgcli.config.json_schema import schema as made  # noqa: PLC0415 - imported when the command runs

    write_json(made())


def _origin(where: Where, settings: Settings) -> str:
    """Where the stash was named; `default` where nobody did."""
    if where.how == "config":
        return settings.places["stash",]
    return "$CG_STASH" if where.how == "environment" else "default"


def _shown(path: Path) -> str:
    """*path*, relative to the working directory where it stands in it."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
