"""The options that more than one command has, each spelled once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Source = Annotated[str, typer.Argument(metavar="FILE", help="A saved capture; `-` reads stdin.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print the report as one JSON document on stdout.")]
StashDir = Annotated[
    Path | None,
    typer.Option(
        "--stash",
        metavar="DIR",
        help="Where originals are kept. Default: $CG_STASH, else the nearest .cg/ upwards, else a new ./.cg/.",
        show_default=False,
    ),
]
Output = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="OUT", help="Where the product goes; `-` is stdout.", show_default=False),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No talk on stderr.")]
Strict = Annotated[bool, typer.Option("--strict", help="A skipped record is exit 4.")]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="NAME", help="Take the file for this format instead of detecting it."),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Default: [tool.cgcli] of the nearest pyproject.toml."),
]
