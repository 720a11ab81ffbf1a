"""`cg check`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - Typer reads the annotations
from typing import Annotated

import typer

from cgcli.cli import options  # noqa: TC001 - Typer reads the annotations
from cgcli.cli.console import write_json, write_line
from cgcli.cli.run import report_error
from cgcli.errors import UsageError


def command(  # noqa: PLR0913 - the options of the command
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Saved captures; `-` reads stdin.", show_default=False)
    ],
    *,
    only: Annotated[
        list[str] | None, typer.Option("--gate", metavar="GATE", help="Only this gate; may be given again.")
    ] = None,
    skip: Annotated[
        list[str] | None, typer.Option("--skip", metavar="GATE", help="All but this gate; may be given again.")
    ] = None,
    allow_epoch: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-epoch",
            metavar="WHERE",
            help="Where a lane may begin anew: a turn (from 1, within its lane), or after-compaction.",
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", metavar="LOCK", help="Compare with this baseline.", show_default=False),
    ] = None,
    write_baseline: Annotated[
        str | None,
        typer.Option("--write-baseline", metavar="LOCK", help="Record the lanes of FILE there.", show_default=False),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", metavar="FILE", help="A paired run without forks, for G-FORK-NOBOUNDARY."),
    ] = None,
    rates: Annotated[
        Path | None, typer.Option("--rates", metavar="FILE", help="Prices in JSON or TOML that come before cg's own.")
    ] = None,
    most_share: Annotated[
        float | None,
        typer.Option(
            "--most-share",
            metavar="SHARE",
            min=0,
            max=1,
            help="Of the run's cost that summariser calls may take, for G-FORK-COST.",
            show_default=False,
        ),
    ] = None,
    stash: Annotated[
        Path | None,
        typer.Option(
            "--stash",
            metavar="DIR",
            help="Where markers' originals are. Default: $CG_STASH, else the nearest .cg/ upwards.",
            show_default=False,
        ),
    ] = None,
    format_name: options.Format = None,
    json: options.Json = False,
    junit: Annotated[
        str | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML; `-` is stdout.")
    ] = None,
    sarif: Annotated[
        str | None, typer.Option("--sarif", metavar="FILE", help="Write SARIF 2.1.0; `-` is stdout.")
    ] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Print workflow annotations in place of text; add to $GITHUB_STEP_SUMMARY.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="A skipped record is exit 4; a gate that is vacuous or unknown is exit 6."),
    ] = False,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit 0 whatever the gates say.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No report in text.")] = False,
) -> None:
    """Check whether the prompt-cache prefix held, where it broke first, why, and what that re-bills.

    Exit 3 where a gate fails, 4 where a file cannot be read, 6 where no gate had anything to check.

    Example: cg check capture.jsonl

    Example: cg check runs/*.jsonl --skip G-STORM --junit report.xml
    """
    _refuse_two_on_stdout(json=json, github=github, junit=junit, sarif=sarif)
    from cgcli.checks.registry import chosen  # noqa: PLC0415 - imported when the command runs
    from cgcli.cli import check_products, gate_options  # noqa: PLC0415
    from cgcli.cli.checking import Checker  # noqa: PLC0415

    if write_baseline is not None and len(files) > 1:
        raise UsageError("--write-baseline takes one FILE", hint="write a baseline for each")
    gates = chosen(only or (), skip or ())
    told = gate_options.told(
        stash=stash, baseline=baseline, against=against, rates=rates, most_share=most_share, format_name=format_name
    )
    allowed = gate_options.allowed(allow_epoch or ())
    checker = Checker(
        gates=gates,
        allowed=allowed,
        told=told,
        format_name=format_name,
        collects=write_baseline is not None,
    )
    for file in files:
        checker.check(file)
    report = checker.report(strict=strict, exit_zero=exit_zero)
    check_products.write(report, gates, files, junit=junit, sarif=sarif)
    if write_baseline is not None:
        check_products.write_baseline(checker, files[0], write_baseline)
    if json:
        write_json(report)
    elif github:
        check_products.print_github(report)
    elif not quiet and "-" not in (junit, sarif):
        from cgcli.report.check_text import lines  # noqa: PLC0415 - only where a person reads

        for line in lines(report):
            write_line(line)
    for error in checker.errors(strict=strict):
        report_error(error, as_json=json)
    raise typer.Exit(report["exit_code"])


def _refuse_two_on_stdout(*, json: bool, github: bool, junit: str | None, sarif: str | None) -> None:
    taking = [
        name
        for name, takes in (
            ("--json", json),
            ("--github", github),
            ("--junit -", junit == "-"),
            ("--sarif -", sarif == "-"),
        )
        if takes
    ]
    if len(taking) > 1:
        raise UsageError(
            f"{' and '.join(taking)} exclude each other: stdout takes one", hint="give a file in place of -"
        )
