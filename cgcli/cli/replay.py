"""`cg replay`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cgcli.cli import mode_options, options, span_options, summary_options
from cgcli.cli.console import say, write_json, write_line
from cgcli.cli.run import report_error
from cgcli.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cgcli.report.replay.next_command import Again


def command(  # noqa: PLR0913 - the options of the command
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Saved captures or histories; `-` reads stdin.", show_default=False),
    ],
    *,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            "--preset",
            metavar="NAME",
            help="A policy, fork, standalone, native, components as a+b, a .toml file, or all; NAME@ignore for another "
            "rule of the held prefix. May be given again. Default: codesafe, general, clear-tool-uses, fork.",
            show_default=False,
        ),
    ] = None,
    held: Annotated[
        str | None,
        typer.Option("--held", metavar="RULE", help="respect (default), pays or ignore, where NAME has no @RULE."),
    ] = None,
    clock: Annotated[
        str,
        typer.Option("--clock", metavar="CLOCK", help="file: the recorded times; or seconds between two requests."),
    ] = "file",
    provider: Annotated[
        str | None,
        typer.Option(
            "--provider", metavar="NAME", help="Whose cache to simulate. Default: by each model.", show_default=False
        ),
    ] = None,
    cache_tokens: Annotated[
        int | None,
        typer.Option(
            "--cache-tokens", metavar="N", min=1, help="vllm, sglang: how much the cache holds.", show_default=False
        ),
    ] = None,
    inject_expand: Annotated[
        str,
        typer.Option(
            "--inject-expand",
            metavar="WHEN",
            help="auto, always or never: do requests get the tool that expands markers?",
        ),
    ] = "auto",
    summarizer: summary_options.SummarizerName = None,
    budget: summary_options.Budget = None,
    ask_at: summary_options.AskAt = None,
    apply_at: summary_options.ApplyAt = None,
    rates: span_options.RatesFile = None,
    mode: mode_options.Modes = None,
    latency: mode_options.LatencyOf = None,
    seed: mode_options.Seed = None,
    step_time: mode_options.StepTime = None,
    max_queue: mode_options.MaxQueue = None,
    workers: mode_options.Workers = None,
    barren: mode_options.Barren = None,
    max_lanes: mode_options.MaxLanes = None,
    stop: mode_options.Stop = None,
    protect: mode_options.ProtectWord = None,
    strip_caller_breakpoints: mode_options.Strip = False,
    cache_uncompacted_tail: mode_options.CacheTail = False,
    cache_mode: mode_options.CacheMode = None,
    sweep: mode_options.Sweep = False,
    turns: Annotated[bool, typer.Option("--turns", help="A bar per turn, too.")] = False,
    html: Annotated[
        str | None,
        typer.Option(
            "--html", metavar="OUT", help="Write one page that needs nothing else; `-` is stdout.", show_default=False
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", metavar="N", min=1, help="Files at once. Default: one a core.", show_default=False
        ),
    ] = None,
    config: options.Config = None,
    format_name: options.Format = None,
    json: options.Json = False,
    strict: options.Strict = False,
    quiet: options.Quiet = False,
) -> None:
    """Replay saved requests through many policies: what each would have read, written and cost, against doing nothing.

    Every policy sees the same requests, the same counter and the same prices. Nothing is sent.

    Example: cg replay capture.jsonl

    Example: cg replay session.jsonl --policy codesafe --policy mask@ignore --turns

    Example: cg replay runs/*.jsonl --policy all --html replay.html

    Example: cg replay session.jsonl --policy fork --mode sync,observe,async --sweep
    """
    from cgcli.cli.replaying import Asked, again, check, replayed, shown, work  # noqa: PLC0415 - only to run

    asked = Asked(
        policies=tuple(policy or ()),
        held=held,
        clock=clock,
        provider=provider,
        cache_tokens=cache_tokens,
        inject=inject_expand,
        summarizer=summarizer,
        budget_tokens=budget,
        ask_at=ask_at,
        apply_at=apply_at,
        rates=rates,
        config=config,
        format_name=format_name,
        shown=shown(html, turns=json or turns),
        modes=mode_options.Given(
            mode=mode,
            latency=latency,
            seed=seed,
            step_s=step_time,
            max_queue=max_queue,
            workers=workers,
            barren=barren,
            max_lanes=max_lanes,
            stop_s=stop,
            protect=protect,
            strip=strip_caller_breakpoints,
            cache_tail=cache_uncompacted_tail,
            cache_mode=cache_mode,
            sweep=sweep,
        ),
    )
    check(files, html, json=json)
    report = replayed(work(asked), files, jobs=jobs)
    _tell(report, again(asked), html=html, json=json, turns=turns, quiet=quiet)
    _end(report, json=json, strict=strict)


def _tell(report: dict[str, Any], given: Again, *, html: str | None, json: bool, turns: bool, quiet: bool) -> None:
    if html is not None:
        _write_page(report, html, quiet=quiet)
    if json:
        write_json(report)
    elif not quiet:
        _show(report, given, turns=turns, write=say if html == "-" else write_line)


def _write_page(report: Mapping[str, Any], target: str, *, quiet: bool) -> None:
    from cgcli.replay.output import Output  # noqa: PLC0415 - only where a page is wanted
    from cgcli.report.page import page  # noqa: PLC0415

    with Output(target) as sink:
        sink.write((page(report).encode("utf-8", "backslashreplace"),))
        sink.finish()
    if target != "-" and not quiet:
        say(f"wrote {target}")


def _show(report: dict[str, Any], given: Again, *, turns: bool, write: Callable[[str], None]) -> None:
    """Print the report, beside a page on stdout on stderr."""
    from cgcli.report.replay.bars import lines as bars  # noqa: PLC0415 - Rich, only where a person reads
    from cgcli.report.replay.text import lines  # noqa: PLC0415

    for line in lines(report, given):
        write(line)
    if turns:
        for line in bars(report):
            write(line)


def _end(report: Mapping[str, Any], *, json: bool, strict: bool) -> None:
    """Say what could not be read, and end with the right code."""
    from cgcli.cli.replaying import errors  # noqa: PLC0415 - imported when the command runs

    found = list(errors(report, strict=strict))
    for error in found:
        report_error(error, as_json=json)
    if found:
        raise typer.Exit(int(ExitCode.UNREADABLE))
