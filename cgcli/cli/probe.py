"""`cg probe`."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cgcli.cli import live_options, options, span_options, summary_options
from cgcli.cli.console import say, write_json, write_line
from cgcli.errors import ExitCode, UsageError
from cgcli.model import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from cgcli.live.bound import Bound
    from cgcli.live.spending import Budget
    from cgcli.probe.probing import Planned, Prober
    from cgcli.shapes.comparison import Comparison


def command(  # noqa: PLR0913 - the options of the command
    file: options.Source,
    *,
    live: live_options.LiveUrl = None,
    max_usd: live_options.MostUsd = None,
    lane: span_options.LaneName = None,
    at: span_options.Turn = None,
    call: Annotated[
        list[str] | None,
        typer.Option("--call", metavar="MODE", help="Only these shapes; may be given again.", show_default=False),
    ] = None,
    span_tokens: span_options.SpanTokens = None,
    span_messages: span_options.SpanMessages = None,
    span_fraction: span_options.SpanFraction = None,
    keep_first: span_options.KeepFirst = 1,
    keep_last: span_options.KeepLast = None,
    model: span_options.SummariserModel = None,
    budget: summary_options.Budget = None,
    platform: span_options.Platform = None,
    rates: span_options.RatesFile = None,
    prewarm: Annotated[
        bool, typer.Option("--prewarm", help="Ask for no answer to the parent: it fills the cache alone (Claude).")
    ] = False,
    record: live_options.Record = None,
    timeout: live_options.Timeout = None,
    retries: live_options.Retries = None,
    beta: live_options.Betas = None,
    format_name: options.Format = None,
    json: options.Json = False,
) -> None:
    """Send a saved request, then each way to ask for a summary of it, and read back what was billed.

    This leaves the machine and costs money: what it may come to is said before anything is sent.

    Example: cg probe capture.jsonl --live https://api.anthropic.com --max-usd 0.50
    """
    sending = live_options.asked(live, max_usd=max_usd, timeout=timeout, retries=retries, record=record, betas=beta)
    if sending is None:
        raise UsageError("a probe sends requests: say where to", hint="--live URL, and --max-usd USD")
    asked = span_options.Asked(
        file=file,
        format_name=format_name,
        lane=lane,
        at=at,
        calls=tuple(call or ()),
        span_tokens=span_tokens,
        span_messages=span_messages,
        span_fraction=span_fraction,
        keep_first=keep_first,
        keep_last=keep_last,
        model=model,
        budget_tokens=budget,
        platform=platform,
        rates=rates,
    )
    report = _run(asked, sending, prewarm=prewarm)
    if json:
        write_json(report)
    else:
        from cgcli.report.probe import lines  # noqa: PLC0415 - Rich, only where a person reads

        for line in lines(report):
            write_line(line)
    _end(report)


def _run(asked: span_options.Asked, live: live_options.Live, *, prewarm: bool) -> dict[str, Any]:
    from cgcli.cli.comparing import Comparing  # noqa: PLC0415 - imported when the command runs
    from cgcli.probe.probing import Prober, at_most  # noqa: PLC0415
    from cgcli.report.probe import document  # noqa: PLC0415

    comparing = Comparing(asked)
    found = comparing.comparisons()
    money = live_options.budget(live)
    keep = partial(_keep, live.record) if live.record is not None else None
    with live_options.client(live, found[0].parent.request.dialect) as client, _accounted(money):
        prober = Prober(client, money, comparing.prices, comparing.ruler, clock=time.monotonic, keep=keep)
        plans = [_planned(prober, one, prewarm=prewarm) for one in found]
        bound = at_most([one for plan in plans for one in plan])
        _announce(live, bound, sum(map(len, plans)))
        probed = [prober.probe(one, plan) for one, plan in zip(found, plans, strict=True)]
    return document(asked.file, probed, money.account(), bound, url=live.shown, prices=comparing.prices)


def _planned(prober: Prober, one: Comparison, *, prewarm: bool) -> tuple[Planned, ...]:
    planned = prober.plan(one, prewarm=prewarm)
    if isinstance(planned, Refusal):
        raise UsageError(f"--prewarm cannot be: {planned.detail}", hint="leave --prewarm away")
    return planned


def _announce(live: live_options.Live, bound: Bound, n_requests: int) -> None:
    """Say what it may come to, before anything is sent."""
    most = f"${bound.usd:.4f}" if bound.usd is not None else f"an unknown amount ({bound.rule})"
    ceiling = f"the ceiling is ${live.max_usd:f}" if live.max_usd is not None else "no ceiling (--max-usd)"
    say(f"cg: {n_requests} requests to {live.shown}, at most {most}: {bound.input_tokens:,} tokens in; {ceiling}")


@contextmanager
def _accounted(money: Budget) -> Iterator[None]:
    """Say what was spent where it ends before there is a report."""
    try:
        yield
    except BaseException:
        from cgcli.report.live import line, spent  # noqa: PLC0415 - only then

        account = money.account()
        if account.n_answered or account.n_lost:
            say(f"cg: {line(spent(account))}")
        raise


def _keep(folder: Path, body: bytes, answer: bytes) -> None:
    from cgcli.summarisers.recorded import write_answer  # noqa: PLC0415 - only where answers are kept

    write_answer(folder, body, answer)


def _end(report: Mapping[str, Any]) -> None:
    """End with exit 3 where a gate failed, with 6 where none could be judged, or nothing was sent."""
    verdicts = [gate["verdict"] for turn in report["turns"] for gate in turn["gates"]]
    if "fail" in verdicts:
        raise typer.Exit(int(ExitCode.FAILED))
    is_empty = all(one["reason"] is not None for turn in report["turns"] for one in turn["requests"])
    if is_empty or (verdicts and "pass" not in verdicts):
        raise typer.Exit(int(ExitCode.VACUOUS))
