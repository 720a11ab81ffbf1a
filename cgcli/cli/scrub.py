"""`cg scrub`."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, cast

import typer

from cgcli.cli import options  # noqa: TC001 - Typer reads the annotations
from cgcli.cli.console import say, write_json, write_line
from cgcli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cgcli.scrub.replacing import Replacements
    from cgcli.scrub.scrubber import Account

_KEY_BYTES = 32
_MOST_HELD_BYTES = 16 << 20
"""Of a pipe, before its copy goes to the disk."""


def command(  # noqa: PLR0913 - the options of the command
    file: Annotated[str, typer.Argument(metavar="FILE", help="Any file of text; `-` reads stdin.", show_default=False)],
    *,
    output: options.Output = None,
    keep_length: Annotated[
        bool,
        typer.Option("--keep-length", help="Replacements are as long as what they replace."),
    ] = False,
    seed: Annotated[
        str | None,
        typer.Option(
            "--seed",
            metavar="TEXT",
            help="The same text, the same replacement, in every run with this seed. Default: a random one each run.",
            show_default=False,
        ),
    ] = None,
    keys: Annotated[bool, typer.Option("--keys", help="Also in names of JSON members, which otherwise stay.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only the report: no output.")] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Replace secrets, e-mail addresses, user names and home folders in a file; everything else stays byte for byte.

    The product goes to -o, or to stdout where it is no terminal. Nothing is put there that has any of what was found.

    Example: cg scrub capture.jsonl -o shareable.jsonl

    Example: cg scrub session.jsonl --dry-run
    """
    from secrets import token_bytes  # noqa: PLC0415 - imported when the command runs

    from cgcli.report.scrub import Told, document, lines  # noqa: PLC0415
    from cgcli.scrub.replacing import Replacements  # noqa: PLC0415

    target = _target(output, dry_run=dry_run, json=json)
    key = token_bytes(_KEY_BYTES) if seed is None else seed.encode("utf-8", "surrogateescape")
    done = _run(file, target, Replacements(key, keep_length=keep_length), with_keys=keys)
    told = Told(file=file, output=target, keep_length=keep_length, seeded=seed is not None, with_keys=keys)
    report = document(done, told)
    if json:
        write_json(report)
    elif not quiet:
        _show(report, lines, on_stderr=target == "-")


def _show(report: dict[str, Any], lines: Any, *, on_stderr: bool) -> None:
    for line in lines(report):
        (say if on_stderr else write_line)(line)


def _target(output: str | None, *, dry_run: bool, json: bool) -> str | None:
    """Where the product goes; None for nowhere."""
    if dry_run:
        return None
    if json and output in (None, "-"):
        raise UsageError("--json puts the report on stdout", hint="give -o OUT for the product, or --dry-run")
    return "-" if output is None and not sys.stdout.isatty() else output


def _run(file: str, target: str | None, replacements: Replacements, *, with_keys: bool) -> Account:
    from cgcli.replay.output import Output, refuse_input_as_output  # noqa: PLC0415 - imported when the command runs
    from cgcli.scrub.run import scrub  # noqa: PLC0415

    refuse_input_as_output(file, target)
    with ExitStack() as stack:
        opened = _opening(file, stack)
        sink = stack.enter_context(Output(target)) if target is not None else None
        done = scrub(
            opened,
            sink.write if sink is not None else _nowhere,
            replacements,
            file=file,
            with_keys=with_keys,
        )
        if sink is not None:
            sink.finish()
    return done


def _nowhere(_lines: Sequence[bytes]) -> None:
    """Take lines that are not written."""


def _opening(file: str, stack: ExitStack) -> Callable[[], BinaryIO]:
    """What gives the content of *file* from its beginning; of a pipe by a copy that has no name and goes in the end."""
    from shutil import copyfileobj  # noqa: PLC0415 - imported when the command runs
    from tempfile import SpooledTemporaryFile  # noqa: PLC0415

    from cgcli.readers import open_bytes  # noqa: PLC0415
    from cgcli.readers.files import reading  # noqa: PLC0415

    if file != "-" and Path(file).is_file():
        return lambda: stack.enter_context(open_bytes(file))
    copy = SpooledTemporaryFile(_MOST_HELD_BYTES)  # noqa: SIM115 - closed with the stack
    stack.callback(copy.close)
    with open_bytes(file) as piped, reading(file):
        copyfileobj(piped, copy, 1 << 20)

    def again() -> BinaryIO:
        copy.seek(0)
        return cast("BinaryIO", copy)

    return again
