"""`cg convert`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cgcli.cli import options, products
from cgcli.cli.console import say, write_json, write_line
from cgcli.cli.strictness import refuse_empty, refuse_skipped
from cgcli.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from cgcli.convert.convert import Kind


def command(  # noqa: PLR0913 - the options of the command
    file: options.Source,
    *,
    output: options.Output = None,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="KIND",
            help="requests (with usage, times and answers), or capture: the bare bodies, where they are as sent.",
        ),
    ] = "requests",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only the report: no output.")] = False,
    format_name: options.Format = None,
    json: options.Json = False,
    strict: options.Strict = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a history's or a log's requests, one a line; all commands read them.

    A history records no requests: they are rebuilt from it, and marked so.

    Example: cg convert session.jsonl -o requests.jsonl

    Example: cg convert traffic.har --to capture -o capture.jsonl

    Example: cg convert ~/.claude/projects/my-project -o requests.jsonl
    """
    kind = _kind(to)
    target = products.place(output, dry_run=dry_run, json=json)
    report = _run(file, target, kind=kind, format_name=format_name, strict=strict)
    if json:
        write_json(report)
    elif not quiet:
        from cgcli.report.conversion import lines  # noqa: PLC0415 - only where a person reads

        write = say if target == "-" else write_line
        for line in lines(report):
            write(line)
    refuse_empty(report)
    if strict:
        refuse_skipped(report)


def _kind(to: str) -> Kind:
    from cgcli.convert.convert import Kind  # noqa: PLC0415 - imported when the command runs

    try:
        return Kind(to)
    except ValueError as error:
        hint = did_you_mean(to, [kind.value for kind in Kind])
        raise UsageError(f"there is nothing called {to!r} to convert to", hint=hint) from error


def _run(file: str, target: str | None, *, kind: Kind, format_name: str | None, strict: bool) -> dict[str, Any]:
    from cgcli.cli.opening import opened  # noqa: PLC0415
    from cgcli.convert.convert import convert  # noqa: PLC0415 - imported when the command runs
    from cgcli.replay.output import Output, refuse_input_as_output  # noqa: PLC0415
    from cgcli.report.conversion import document  # noqa: PLC0415

    refuse_input_as_output(file, target)
    with opened(file, format_name) as capture:
        if target is None:
            return document(convert(capture, kind, _Nowhere()), output=None)
        with Output(target) as sink:
            done = convert(capture, kind, sink)
            is_placed = bool(done.n_requests) and not (strict and done.skipped)
            if is_placed:
                sink.finish()
    return document(done, output=target if is_placed else None)


class _Nowhere:
    def write(self, pieces: object) -> None:
        """Drop *pieces*."""
