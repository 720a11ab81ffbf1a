"""`cg diff-modes`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - Typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cgcli.cli import live_options, options, span_options, summary_options
from cgcli.cli.console import say, write_json, write_line
from cgcli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.shapes.comparison import Comparison


def command(  # noqa: PLR0913 - the options of the command
    file: options.Source,
    *,
    lane: span_options.LaneName = None,
    at: span_options.Turn = None,
    every: Annotated[bool, typer.Option("--every", help="Every turn of the lane.")] = False,
    call: Annotated[
        list[str] | None,
        typer.Option(
            "--call",
            metavar="MODE",
            help="Only these shapes: standalone, fork, native-…; auto: fork or standalone, by price.",
            show_default=False,
        ),
    ] = None,
    span_tokens: span_options.SpanTokens = None,
    span_messages: span_options.SpanMessages = None,
    span_fraction: span_options.SpanFraction = None,
    keep_first: span_options.KeepFirst = 1,
    keep_last: span_options.KeepLast = None,
    model: span_options.SummariserModel = None,
    summarizer: summary_options.SummarizerName = None,
    summary_tokens: span_options.SummaryTokens = span_options.ASSUMED_TOKENS,
    budget: summary_options.Budget = None,
    ask_at: summary_options.AskAt = None,
    apply_at: summary_options.ApplyAt = None,
    pause: Annotated[bool, typer.Option("--pause", help="Native: pause_after_compaction.")] = False,
    platform: span_options.Platform = None,
    require_reversible: Annotated[
        bool, typer.Option("--require-reversible", help="Refuse what cannot be given back.")
    ] = False,
    rates: span_options.RatesFile = None,
    live: live_options.LiveUrl = None,
    max_usd: live_options.MostUsd = None,
    record: live_options.Record = None,
    timeout: live_options.Timeout = None,
    retries: live_options.Retries = None,
    beta: live_options.Betas = None,
    show: Annotated[bool, typer.Option("--show", help="Print each body, or its difference from the parent.")] = False,
    emit: Annotated[
        Path | None,
        typer.Option("--emit", metavar="DIR", help="Write each body to a file named after its shape."),
    ] = None,
    exit_code: Annotated[
        bool,
        typer.Option(
            "--exit-code", help="Exit 3 where a shape is refused, or a fork is not its parent and one message."
        ),
    ] = False,
    format_name: options.Format = None,
    json: options.Json = False,
) -> None:
    """Compare the ways to ask for a summary, from one saved request and one span.

    Standalone, fork and the provider's own compaction: which may be used, what each shares with its parent, what it
    costs, and what the request after it reads from the cache. Nothing is sent without --live.

    Example: cg diff-modes capture.jsonl

    Example: cg diff-modes capture.jsonl --lane L1 --at 12 --call fork --show

    Example: cg diff-modes capture.jsonl --every --json
    """
    asked = span_options.Asked(
        file=file,
        format_name=format_name,
        lane=lane,
        at=at,
        every=every,
        calls=tuple(call or ()),
        span_tokens=span_tokens,
        span_messages=span_messages,
        span_fraction=span_fraction,
        keep_first=keep_first,
        keep_last=keep_last,
        model=model,
        summarizer=summarizer,
        summary_tokens=summary_tokens,
        budget_tokens=budget,
        ask_at=ask_at,
        apply_at=apply_at,
        pause=pause,
        platform=platform,
        require_reversible=require_reversible,
        rates=rates,
    )
    if json and show:
        raise UsageError("--show is for a person, and --json for a program", hint="--emit DIR writes the bodies")
    sending = live_options.asked(live, max_usd=max_usd, timeout=timeout, retries=retries, record=record, betas=beta)
    report, found = _compare(asked, sending, emit=emit)
    _print(report, found, json=json, show=show)
    if exit_code:
        from cgcli.cli.comparing import differ  # noqa: PLC0415 - imported when the command runs

        differ(found)


def _compare(
    asked: span_options.Asked, sending: live_options.Live | None, *, emit: Path | None
) -> tuple[dict[str, Any], Sequence[Comparison]]:
    """The document and what it is drawn from; the bodies are written to *emit*."""
    from cgcli.cli.comparing import Comparing  # noqa: PLC0415 - imported when the command runs
    from cgcli.cli.emitting import write_bodies  # noqa: PLC0415
    from cgcli.report.figures import counted  # noqa: PLC0415

    run = Comparing(asked, sending)
    found = run.comparisons()
    if asked.calls:  # what nobody asked for need not be warned of; the report says it
        for warning in dict.fromkeys(one.warning for one in found if one.warning is not None):
            say(f"cg: {warning}")
    if emit is not None:
        written = write_bodies(found, emit, many=asked.every, source=asked.file)
        for path in written.paths:
            say(f"wrote {path}")
        if written.n_removed:
            say(f"removed {counted(written.n_removed, 'file')} of an earlier run from {emit}")
    return run.report(found), found


def _print(report: dict[str, Any], found: Sequence[Comparison], *, json: bool, show: bool) -> None:
    if json:
        write_json(report)
        return
    from cgcli.report.shapes_text import lines  # noqa: PLC0415 - Rich, only where a person reads

    for line in lines(report):
        write_line(line)
    if show:
        from cgcli.cli.emitting import shown  # noqa: PLC0415

        for line in shown(found):
            write_line(line)
