"""`cg filters`: the filters of the component `cmdfilter`: list them, test them, try them on a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cgcli.cli.console import safe, say, write_bytes, write_json, write_line
from cgcli.cli.options import Json  # noqa: TC001 - Typer reads the annotations
from cgcli.errors import ExitCode, UsageError, did_you_mean

if TYPE_CHECKING:
    from cgcli.compaction.filters.cases import Failure
    from cgcli.compaction.filters.filter import Filter
    from cgcli.compaction.filters.library import Applied

app = typer.Typer(
    name="filters",
    help="The filters of the component cmdfilter: what is left of the output of known commands.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_MIN_SIZE_BYTES = 400
"""The component's default; smaller outputs it leaves alone."""

Files = Annotated[
    list[str] | None, typer.Argument(metavar="FILE...", help="Files with filters of your own.", show_default=False)
]


@app.command("ls")
def ls(files: Files = None, *, as_json: Json = False) -> None:
    """List the built-in filters, and those in FILES before them.

    Example: cg filters ls
    """
    from cgcli.compaction.filters.builtin import builtins  # noqa: PLC0415 - imported when the command runs

    filters = [*_read(files or []), *builtins()]
    if as_json:
        write_json({"schema": "cgcli/filters-ls/v1", "filters": [_row(one) for one in filters]})
        return
    from cgcli.report.figures import counted  # noqa: PLC0415 - only where a person reads it
    from cgcli.report.table import table  # noqa: PLC0415 - as above

    rows = [
        (
            one.name,
            one.family,
            one.loss,
            one.agent or "",
            one.sample,
            ", ".join(one.stages.named()),
            safe(one.description),
        )
        for one in filters
    ]
    for line in table(("name", "family", "loss", "agent set", "sample", "stages", "does"), rows):
        write_line(line)
    say(counted(len(filters), "filter"))


@app.command("test")
def run_tests(files: Files = None, *, as_json: Json = False) -> None:
    """Run the filters' own tests, of FILES or of the built-in ones. One that fails is exit 3.

    Example: cg filters test mine.yaml
    """
    from cgcli.compaction.filters.builtin import builtins  # noqa: PLC0415 - imported when the command runs
    from cgcli.compaction.filters.cases import failures  # noqa: PLC0415

    filters = _read(files, check_cases=False) if files else builtins()
    failed = [(one, failure) for one in filters for failure in failures(one)]
    n_cases = sum(len(one.cases) for one in filters)
    if as_json:
        write_json(
            {
                "schema": "cgcli/filters-test/v1",
                "n_filters": len(filters),
                "n_tests": n_cases,
                "failures": [_failure(one, failure) for one, failure in failed],
            }
        )
    else:
        from cgcli.report.figures import counted, number  # noqa: PLC0415 - only where a person reads it

        for one, failure in failed:
            _show(one, failure)
        say(f"{counted(n_cases, 'test')} of {counted(len(filters), 'filter')}: {number(len(failed))} failed")
    if failed:
        raise typer.Exit(ExitCode.FAILED)


@app.command("try")
def try_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An output as text; `-` reads stdin.")],
    *,
    name: Annotated[
        str | None,
        typer.Option("--filter", metavar="NAME", help="Ask only this built-in filter, or those in this .yaml file."),
    ] = None,
    command: Annotated[
        str | None, typer.Option("--command", metavar="CMD", help="The command line that printed it.")
    ] = None,
    agent_filters: Annotated[
        Literal["off", "safe", "lossy"], typer.Option("--agent-filters", help="As the component's parameter.")
    ] = "off",
    as_json: Json = False,
) -> None:
    """Print what the filters leave of an output; on stderr, which ones acted and how many bytes that took.

    Example: cg filters try build.log --command 'make -j4'
    """
    from cgcli.compaction.filters.library import applied, library  # noqa: PLC0415 - imported when the command runs
    from cgcli.compaction.filters.select import FilterSet  # noqa: PLC0415
    from cgcli.markers import has_placeholder  # noqa: PLC0415
    from cgcli.readers.files import open_bytes, reading  # noqa: PLC0415

    filters = FilterSet(_named(name)) if name is not None else library(agent_filters=agent_filters)
    with open_bytes(file) as stream, reading(file):
        content = stream.read()
    text = content.decode("utf-8", "surrogateescape")
    done = None if has_placeholder(text) else applied(filters, text, command)
    left = content if done is None else done.text.encode("utf-8", "surrogateescape")
    if as_json:
        write_json(_tried(file, command, done, content, left))
        return
    write_bytes(left)
    say(_said(done, len(content), len(left)))


def _read(files: list[str], *, check_cases: bool = True) -> list[Filter]:
    from pathlib import Path  # noqa: PLC0415 - imported when the command runs

    from cgcli.compaction.filters.document import read_file  # noqa: PLC0415

    return [one for file in files for one in read_file(Path(file), check_cases=check_cases)]


def _named(name: str) -> list[Filter]:
    """The built-in filter *name*, or the filters in the file of that name."""
    from cgcli.compaction.filters.builtin import builtins  # noqa: PLC0415 - imported when the command runs

    if name.endswith((".yaml", ".yml")):
        return _read([name])
    found = [one for one in builtins() if one.name == name]
    if not found:
        raise UsageError(f"there is no filter {name!r}", hint=did_you_mean(name, [one.name for one in builtins()]))
    return found


def _row(one: Filter) -> dict[str, object]:
    return {
        "name": one.name,
        "family": one.family,
        "description": one.description,
        "loss": str(one.loss),
        "agent": None if one.agent is None else str(one.agent),
        "sample": str(one.sample),
        "priority": one.priority,
        "stages": list(one.stages.named()),
        "n_tests": len(one.cases),
        "where": one.where,
    }


def _failure(one: Filter, failure: Failure) -> dict[str, object]:
    return {
        "filter": one.name,
        "where": one.where,
        "test": failure.i_case + 1,
        "message": failure.message,
        "expected": failure.expected,
        "found": failure.found,
    }


def _show(one: Filter, failure: Failure) -> None:
    write_line(f"{safe(one.where)}: {one.name}: test {failure.i_case + 1} fails: {safe(failure.message)}")
    for title, text in (("expected", failure.expected), ("found", failure.found)):
        write_line(f"  {title}:")
        for line in text.split("\n"):
            write_line(f"    | {safe(line)}")


def _tried(file: str, command: str | None, done: Applied | None, content: bytes, left: bytes) -> dict[str, object]:
    return {
        "schema": "cgcli/filters-try/v1",
        "file": file,
        "command": command,
        "before_bytes": len(content),
        "after_bytes": len(left),
        "asked": [one.name for one in done.asked] if done else [],
        "fired": [one.name for one in done.fired] if done else [],
        "loss": str(done.loss) if done and done.fired else None,
        "reason": _reason(done, len(content)),
        "text": left.decode("utf-8", "replace"),
    }


def _reason(done: Applied | None, n_bytes: int) -> str | None:
    """Why `cmdfilter` would leave the output alone with its defaults; None where it would not."""
    if done is None:
        return "already_marked"
    if n_bytes < _MIN_SIZE_BYTES:
        return "below_min_size"
    if not done.fired:
        return "nothing_filtered" if done.asked else "no_filter"
    return None if done.text.strip() else "nothing_would_remain"


def _said(done: Applied | None, n_before: int, n_after: int) -> str:
    reason = _reason(done, n_before)
    fired = ", ".join(one.name for one in done.fired) if done else ""
    said = f"{fired or 'no filter'}: {n_before:,} bytes before, {n_after:,} after"
    if done and done.fired:
        said += f" (loss: {done.loss})"
    return f"{said}; cmdfilter leaves it alone: {reason}" if reason else said
