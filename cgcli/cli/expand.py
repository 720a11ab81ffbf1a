"""`cg expand`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - Typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from cgcli.cli import options  # noqa: TC001 - Typer reads the annotations
from cgcli.cli.console import say, write_bytes, write_json
from cgcli.cli.stashing import located
from cgcli.errors import ExitCode, StashMiss, UsageError

if TYPE_CHECKING:
    from cgcli.stash.store import Stash


def command(  # noqa: PLR0913 - the options of the command
    hashes: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="HASH...", help="A marker, its key, or its first digits (4 or more).", show_default=False
        ),
    ] = None,
    *,
    all_of: Annotated[
        str | None,
        typer.Option(
            "--all",
            metavar="FILE",
            help="Give back the whole capture that was compacted.",
            show_default=False,
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--input",
            metavar="SHA256",
            help="With --all: which input, by its first digits, where several became FILE.",
            show_default=False,
        ),
    ] = None,
    output: options.Output = None,
    stash: options.StashDir = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="Default: [tool.cgcli] of the nearest pyproject.toml."),
    ] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Print what stood at a marker, byte for byte; or, with --all, give back the whole capture.

    Example: cg expand 3fa9b2c4d5e6f708

    Example: cg expand --all compacted.jsonl -o capture.jsonl
    """
    if (all_of is None) == (not hashes):
        raise UsageError("give hashes, or --all FILE", hint="cg expand --help")
    if source is not None and all_of is None:
        raise UsageError("--input goes with --all", hint="cg expand --help")
    if all_of is not None:
        _expand_file(all_of, output or "-", stash, config, source=source, json=json, quiet=quiet)
    else:
        _expand_hashes(hashes or [], output, stash, config, json=json)


def _open(option: Path | None, config: Path | None) -> Stash:
    from cgcli.stash.store import Stash  # noqa: PLC0415 - imported when the command runs

    return Stash.open(located(option, config).path, create=False)


def _expand_hashes(
    hashes: list[str], output: str | None, stash: Path | None, config: Path | None, *, json: bool
) -> None:
    opened = _open(stash, config)
    digests = [opened.resolve(marker) for marker in hashes]
    originals = [opened.get(digest) for digest in digests]
    if json:
        write_json(
            {
                "schema": "cgcli/expand/v1",
                "objects": [
                    {
                        "sha256": digest,
                        "bytes": len(content),
                        "text": content.decode("utf-8", "surrogatepass"),
                    }
                    for digest, content in zip(digests, originals, strict=True)
                ],
            }
        )
    elif output in (None, "-"):
        for content in originals:
            write_bytes(content)
    else:
        from cgcli.replay.output import Output  # noqa: PLC0415 - only where a file is written

        assert output is not None  # noqa: S101 - told by the branch above
        with Output(output) as sink:
            sink.write(originals)
            sink.finish()


def _expand_file(
    file: str,
    target: str,
    stash: Path | None,
    config: Path | None,
    *,
    source: str | None,
    json: bool,
    quiet: bool,
) -> None:
    from cgcli.replay.expand import expand  # noqa: PLC0415 - imported when the command runs
    from cgcli.replay.output import Output, refuse_input_as_output  # noqa: PLC0415

    if json and target == "-":
        raise UsageError("--json puts the report on stdout", hint="give -o OUT for the capture")
    refuse_input_as_output(file, target)
    where = located(stash, config)
    try:
        opened: Stash | None = _open(stash, config)
    except StashMiss:
        opened = None
    with Output(target) as sink:
        done = expand(file, opened, sink, source=source)
        if opened is None and done.by_slot is not None and done.by_slot.kinds["dangling"]:
            raise StashMiss(
                "the file has markers and there is no stash",
                where=str(where.path),
                hint="name its stash with --stash DIR",
            )
        sink.finish()
    if json:
        write_json(done.document(file=file, output=target, stash=str(where.path) if opened else None))
    elif not quiet:
        from cgcli.report.expansion_text import lines  # noqa: PLC0415 - only where a person reads

        for line in lines(done):
            say(line)
    if done.by_slot is not None and done.by_slot.kinds["dangling"]:
        raise typer.Exit(ExitCode.STASH)
