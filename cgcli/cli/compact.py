"""`cg compact`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cgcli.cli import live_answers, live_options, options, products, span_options, summary_options
from cgcli.cli.choosing import choose, held_rule
from cgcli.cli.console import safe, say, write_json, write_line
from cgcli.cli.stashing import located
from cgcli.cli.strictness import refuse_empty, refuse_skipped

if TYPE_CHECKING:
    from cgcli.compaction.policy import Policy
    from cgcli.compaction.state import HeldRule
    from cgcli.pricing.table import Prices
    from cgcli.stash.locate import Where
    from cgcli.summarisers.protocol import Summariser


def command(  # noqa: PLR0913 - the options of the command
    file: options.Source,
    *,
    output: options.Output = None,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            "--preset",
            metavar="NAME",
            help="off, safe, agent, general, codesafe, summarize, or a .toml file. Default: codesafe.",
        ),
    ] = None,
    pipeline: Annotated[
        str | None,
        typer.Option("--pipeline", metavar="A,B,C", help="Components in order, in place of a policy."),
    ] = None,
    held: Annotated[
        str | None,
        typer.Option(
            "--held",
            metavar="RULE",
            help="respect (default), pays or ignore: may a new decision enter the held prefix?",
        ),
    ] = None,
    call: summary_options.CallWord = None,
    summarizer: summary_options.SummarizerName = None,
    budget: summary_options.Budget = None,
    ask_at: summary_options.AskAt = None,
    apply_at: summary_options.ApplyAt = None,
    rates: span_options.RatesFile = None,
    live: live_options.LiveUrl = None,
    max_usd: live_options.MostUsd = None,
    record: live_options.Record = None,
    timeout: live_options.Timeout = None,
    retries: live_options.Retries = None,
    beta: live_options.Betas = None,
    stash: options.StashDir = None,
    config: options.Config = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only the report: no output, no stash.")] = False,
    format_name: options.Format = None,
    json: options.Json = False,
    strict: options.Strict = False,
    quiet: options.Quiet = False,
) -> None:
    """Compact a saved capture; every original goes to the stash.

    Products go to -o, or to stdout where it is no terminal; the report goes to stdout, or to stderr beside a product.

    Example: cg compact capture.jsonl -o compacted.jsonl

    Example: cg compact capture.jsonl --policy agent --held ignore --dry-run

    Example: cg compact capture.jsonl --policy summarize --budget 60000 --call fork -o compacted.jsonl
    """
    from cgcli.config import load  # noqa: PLC0415 - imported when the command runs

    settings = load(config, cwd=Path.cwd())
    target = products.place(output, dry_run=dry_run, json=json)
    given = summary_options.told(call=call, budget=budget, ask_at=ask_at, apply_at=apply_at)
    chosen = choose(policy, pipeline, settings).made(settings, given)
    sending = live_options.asked(live, max_usd=max_usd, timeout=timeout, retries=retries, record=record, betas=beta)
    prices = _prices(rates)
    answering = live_answers.answers(sending, prices, summarizer=summarizer, keeps=target is not None)
    report = _run(
        file,
        target,
        policy=chosen,
        summariser=summary_options.summariser(chosen, summarizer, given, live=answering),
        rule=held_rule(held or settings.held),
        prices=prices,
        where=located(stash, settings.file),
        told=_options(
            policy=policy,
            pipeline=pipeline,
            held=held,
            call=call,
            summarizer=summarizer,
            budget=budget,
            ask_at=ask_at,
            apply_at=apply_at,
            rates=rates,
            live=sending.shown if sending is not None else None,
            stash=stash,
            config=config,
            format=format_name,
        ),
        format_name=format_name,
        strict=strict,
    )
    _show(report, target, json=json, quiet=quiet)
    refuse_empty(report)
    if strict:
        refuse_skipped(report)


def _show(report: dict[str, Any], target: str | None, *, json: bool, quiet: bool) -> None:
    """Print the *report*, beside a product on stderr."""
    for warning in report["summaries"]["warnings"] if report["summaries"] is not None else ():
        say(f"cg: {warning}")
    if json:
        write_json(report)
    elif not quiet:
        from cgcli.report.compaction_text import lines  # noqa: PLC0415 - Rich, only where a person reads

        write = say if target == "-" else write_line
        for line in lines(report):
            write(line)


def _prices(rates: Path | None) -> Prices | None:
    """The prices of the file *rates*, before the table's; None for those alone."""
    if rates is None:
        return None
    from cgcli.pricing.file import read_rates  # noqa: PLC0415 - only where there are rates

    return read_rates(rates)


def _options(**given: str | float | Path | None) -> tuple[str, ...]:
    """The options that were *given*, as option and value in turn."""
    return tuple(
        word for name, told in given.items() if told is not None for word in (f"--{name.replace('_', '-')}", str(told))
    )


def _run(  # noqa: PLR0913 - the options of the command
    file: str,
    target: str | None,
    *,
    policy: Policy,
    summariser: Summariser | None,
    rule: HeldRule,
    prices: Prices | None,
    where: Where,
    told: tuple[str, ...],
    format_name: str | None,
    strict: bool,
) -> dict[str, Any]:
    from cgcli.cli.opening import opened  # noqa: PLC0415 - imported when the command runs
    from cgcli.replay.compact import Writer  # noqa: PLC0415
    from cgcli.replay.output import Output, refuse_input_as_output  # noqa: PLC0415
    from cgcli.replay.run import Run  # noqa: PLC0415
    from cgcli.report.compaction import Place, document  # noqa: PLC0415
    from cgcli.stash.store import Stash  # noqa: PLC0415

    for warning in policy.warnings:
        say(f"cg: {safe(warning)}")
    refuse_input_as_output(file, target)
    live = summariser if isinstance(summariser, live_answers.LiveAnswers) else None
    with live or nullcontext(), opened(file, format_name) as capture:
        run = Run(capture, policy, rule=rule, summariser=summariser, prices=prices)
        with Output(target) if target is not None else nullcontext() as sink:
            opens = (lambda: Stash.open(where.path, create=True)) if target is not None else None
            written = Writer(run, sink, opens, strict=strict).write()
    place = Place(
        output=target if written.is_placed else None,
        stash=_shown(where.path) if written.stashed is not None else None,
        stash_how=where.how,
        options=told,
    )
    report = document(run, written, place)
    return report | {"live": live.report()} if live is not None else report


def _shown(path: Path) -> str:
    """*path*, relative to the working directory where it stands in it."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
