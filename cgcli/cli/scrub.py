"""`cg scrub`."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from cgcli.cli import options, products
from cgcli.cli.console import say, write_json, write_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cgcli.scrub.replacing import Replacements
    from cgcli.scrub.scrubber import Account

_KEY_BYTES = 32


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

    target = products.place(output, dry_run=dry_run, json=json)
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
    """What gives the content of *file* from its beginning; of a pipe by a copy."""
    from cgcli.readers import open_bytes  # noqa: PLC0415 - imported when the command runs
    from cgcli.readers.copying import copied, is_piped  # noqa: PLC0415

    if not is_piped(file):
        return lambda: stack.enter_context(open_bytes(file))
    copy = stack.enter_context(copied(file))

    def again() -> BinaryIO:
        copy.seek(0)
        return copy

    return again
