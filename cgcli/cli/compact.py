"""`cg compact`."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cgcli.cli import options  # noqa: TC001 - Typer reads the annotations
from cgcli.cli.console import say, write_json, write_line
from cgcli.cli.stashing import located
from cgcli.cli.strictness import refuse_empty, refuse_skipped
from cgcli.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from cgcli.compaction.policy import Policy
    from cgcli.compaction.state import HeldRule
    from cgcli.config import Settings
    from cgcli.stash.locate import Where

DEFAULT_POLICY = "codesafe"


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
            help="off, safe, agent, general, codesafe, or a .toml file. Default: codesafe.",
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
            help="respect (default) or ignore: may a new decision enter the held prefix?",
        ),
    ] = None,
    stash: options.StashDir = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="Default: [tool.cgcli] of the nearest pyproject.toml."),
    ] = None,
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
    """
    from cgcli.config import load  # noqa: PLC0415 - imported when the command runs

    settings = load(config, cwd=Path.cwd())
    target = _target(output, dry_run=dry_run, json=json)
    report = _run(
        file,
        target,
        policy=_policy(policy, pipeline, settings),
        rule=_rule(held or settings.held),
        where=located(stash, settings.file),
        told=_options(policy=policy, pipeline=pipeline, held=held, stash=stash, config=config, format=format_name),
        format_name=format_name,
        strict=strict,
    )
    if json:
        write_json(report)
    elif not quiet:
        from cgcli.report.compaction_text import lines  # noqa: PLC0415 - Rich, only where a person reads

        write = say if target == "-" else write_line
        for line in lines(report):
            write(line)
    refuse_empty(report)
    if strict:
        refuse_skipped(report)


def _target(output: str | None, *, dry_run: bool, json: bool) -> str | None:
    """Where the product goes; None for nowhere."""
    if dry_run:
        return None
    if json and output in (None, "-"):
        raise UsageError("--json puts the report on stdout", hint="give -o OUT for the product, or --dry-run")
    if output is None and not sys.stdout.isatty():
        return "-"
    return output


def _policy(policy: str | None, pipeline: str | None, settings: Settings) -> Policy:
    from cgcli.compaction import policy as policies  # noqa: PLC0415 - imported when the command runs

    if policy is not None and pipeline is not None:
        raise UsageError("--policy and --pipeline exclude each other", hint="give one of them")
    if pipeline is None and policy is None and settings.pipeline is not None:
        return policies.pipeline(settings.pipeline, settings.components)
    if pipeline is not None:
        names = [name.strip() for name in pipeline.split(",") if name.strip()]
        if not names:
            raise UsageError("--pipeline names no component", hint="--pipeline format,collapse, or --policy off")
        return policies.pipeline(names, settings.components)
    return policies.named(policy or settings.policy or DEFAULT_POLICY, settings.components)


def _rule(held: str | None) -> HeldRule:
    from cgcli.compaction.state import HeldRule  # noqa: PLC0415 - imported when the command runs

    try:
        return HeldRule(held or HeldRule.RESPECT)
    except ValueError as error:
        if held == "pays":
            raise UsageError(
                "--held pays needs prices, which this version does not have", hint="--held ignore"
            ) from error
        hint = did_you_mean(held or "", [rule.value for rule in HeldRule])
        raise UsageError(f"there is no rule {held!r} for the held prefix", hint=hint) from error


def _options(**given: str | Path | None) -> tuple[str, ...]:
    """The options that were *given*, as option and value in turn."""
    return tuple(word for name, told in given.items() if told is not None for word in (f"--{name}", str(told)))


def _run(  # noqa: PLR0913 - the options of the command
    file: str,
    target: str | None,
    *,
    policy: Policy,
    rule: HeldRule,
    where: Where,
    told: tuple[str, ...],
    format_name: str | None,
    strict: bool,
) -> dict[str, Any]:
    from cgcli.readers import open_bytes, read  # noqa: PLC0415 - imported when the command runs
    from cgcli.replay.compact import Writer  # noqa: PLC0415
    from cgcli.replay.output import Output, refuse_input_as_output  # noqa: PLC0415
    from cgcli.replay.run import Run  # noqa: PLC0415
    from cgcli.report.compaction import Place, document  # noqa: PLC0415
    from cgcli.stash.store import Stash  # noqa: PLC0415

    refuse_input_as_output(file, target)
    with open_bytes(file) as stream:
        run = Run(read(stream, file=file, format=format_name), policy, rule=rule)
        with Output(target) if target is not None else nullcontext() as sink:
            opens = (lambda: Stash.open(where.path, create=True)) if target is not None else None
            written = Writer(run, sink, opens, strict=strict).write()
    place = Place(
        output=target if written.is_placed else None,
        stash=_shown(where.path) if written.stashed is not None else None,
        stash_how=where.how,
        options=told,
    )
    return document(run, written, place)


def _shown(path: Path) -> str:
    """*path*, relative to the working directory where it stands in it."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
