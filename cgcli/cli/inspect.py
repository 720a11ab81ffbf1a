"""`cg inspect`."""

from __future__ import annotations

from cgcli.cli import options  # noqa: TC001 - Typer reads the annotations
from cgcli.cli.console import write_json, write_line
from cgcli.cli.strictness import refuse_empty, refuse_skipped


def command(
    file: options.Source,
    *,
    format_name: options.Format = None,
    json: options.Json = False,
    strict: options.Strict = False,
) -> None:
    """Tell what a file holds: format, lanes, tokens by kind, what is recorded, breakpoints, markers.

    Example: cg inspect capture.jsonl

    Example: cg inspect capture.jsonl --json
    """
    from cgcli.cli.opening import opened  # noqa: PLC0415
    from cgcli.inspection.inspect import Inspector  # noqa: PLC0415 - imported when the command runs
    from cgcli.report.inspection import document, lines  # noqa: PLC0415

    with opened(file, format_name) as capture:
        report = document(Inspector(capture).inspect())
    if json:
        write_json(report)
    else:
        for line in lines(report):
            write_line(line)
    refuse_empty(report)
    if strict:
        refuse_skipped(report)
